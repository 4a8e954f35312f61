#include "destination/linked_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adoc/error.hpp"
#include "destination/output_tree.hpp"
#include "destination/same_time.hpp"
#include "pipeline/receive_memory.hpp"

namespace adoc {

namespace {

/// A node of a map, with its hash and number, takes less than 128 bytes.
constexpr std::size_t kMostLinkedFiles = kLinkedReceiveBytes / 128;

[[noreturn]] void fail_to_link(const SafeName& first, const char* why) {
  throw Error(ErrorKind::local_file,
              "it is another name of " + adoc::quoted(first.str()) + ", and " + why);
}

bool is_as_offered(const Entry& entry, const struct stat& status) {
  const Metadata& metadata = *entry.metadata;
  const bool is_ours =
      status.st_uid == ::geteuid() || (metadata.user && metadata.user->id == status.st_uid);
  return is_ours && static_cast<std::uint64_t>(status.st_size) == entry.size &&
         same_time(entry, status);
}

}  // namespace

void LinkedFiles::note(const SafeName& name, const Number& number) {
  if (numbers_.size() >= kMostLinkedFiles) numbers_.clear();
  numbers_.insert_or_assign(xxh3_128(as_byte_span(name.str())), number);
}

Fd LinkedFiles::find(const Entry& other_name, OutputTree& tree) const {
  struct stat status {};
  const SafeName& first = *other_name.metadata->first;
  const DirectoryPtr parent = tree.find_parent(first);
  Fd file;
  if (parent)
    file = Fd(::openat(parent->get(), std::string(first.leaf()).c_str(),
                       O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!file || ::fstat(file.get(), &status) != 0) fail_to_link(first, "that is not there");
  const auto noted = numbers_.find(xxh3_128(as_byte_span(first.str())));
  if (noted != numbers_.end() && noted->second != Number(status.st_dev, status.st_ino))
    fail_to_link(first, "something else has taken its place");
  if (!S_ISREG(status.st_mode) || (noted == numbers_.end() && !is_as_offered(other_name, status)))
    fail_to_link(first, "that is not a file of this transfer");
  return file;
}

}  // namespace adoc
