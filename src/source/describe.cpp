#include "source/describe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "source/content_reader.hpp"
#include "source/input_file.hpp"
#include "source/part_hasher.hpp"
#include "source/source_root.hpp"
#include "util/errno_error.hpp"
#include "util/hash_file.hpp"
#include "wire/protocol.hpp"

namespace adoc {

namespace {

std::string read_link(const Place& place) {
  std::string target(kMaxLinkTargetBytes + 1, '\0');
  const ssize_t length = ::readlinkat(place.directory, place.name, target.data(), target.size());
  if (length < 0) throw errno_error(ErrorKind::local_file, "read the link", errno);
  target.resize(static_cast<std::size_t>(length));
  return target;
}

/// The regular file that `listed` is of.
Fd open_listed(const Place& place, const struct stat& listed) {
  Fd file(
      ::openat(place.directory, place.name, O_RDONLY | O_NONBLOCK | place.no_follow() | O_CLOEXEC));
  if (!file) throw source_error("open it", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw source_error("look at it", errno);
  if (!is_listed(file.get(), status, identity_of(listed)))
    throw Error(ErrorKind::local_file, "it changed while it was listed");
  return file;
}

Entry with_metadata(SafeName name, const struct stat& status) {
  return {.name = std::move(name),
          .mode = status.st_mode & 07777,
          .mtime_seconds = status.st_mtim.tv_sec,
          .mtime_nanoseconds = static_cast<std::uint32_t>(status.st_mtim.tv_nsec)};
}

}  // namespace

bool is_sent_kind(mode_t mode) noexcept { return S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode); }

Entry Describer::describe(const Place& place, SafeName name, const struct stat& status,
                          const std::stop_token& stop) {
  Entry entry = with_metadata(std::move(name), status);
  if (S_ISDIR(status.st_mode)) {
    entry.kind = EntryKind::directory;
  } else if (S_ISLNK(status.st_mode)) {
    entry.kind = EntryKind::symlink;
    entry.link_target = read_link(place);
  } else if (S_ISREG(status.st_mode)) {
    describe_file(entry, place, status, stop);
  } else {
    throw Error(ErrorKind::local_file, "it is not a file, a directory or a symbolic link");
  }
  return entry;
}

void Describer::describe_file(Entry& entry, const Place& place, const struct stat& status,
                              const std::stop_token& stop) {
  if (made_up_sizes_.is_made_up(place, status)) {
    entry.size = kUnknownSize;
    return;
  }
  entry.size = static_cast<std::uint64_t>(status.st_size);
  const bool may_have_holes = status.st_blocks * 512 < status.st_size;
  if (!may_have_holes && !setup_.hashes_contents && !metadata_.reads_attributes()) return;
  const Fd file = open_listed(place, status);
  if (may_have_holes) entry.data = data_runs(file.get(), entry.size, stop);
  if (metadata_.reads_attributes()) metadata_.add_attributes(entry, file.get());
  if (!setup_.hashes_contents) return;
  if (!lossy_) {
    entry.hash = hash_file(file.get(), stop);
    return;
  }
  ContentReader left(file.get(), lossy_);
  entry.hash = PartHasher(left, entry, stop).digest();
}

Entry describe_standard_input(SafeName name) {
  struct stat now {};
  now.st_mode = 0644;
  ::clock_gettime(CLOCK_REALTIME, &now.st_mtim);
  Entry entry = with_metadata(std::move(name), now);
  entry.size = kUnknownSize;
  return entry;
}

}  // namespace adoc
