#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <vector>

#include "destination/own_directory.hpp"
#include "destination/partial_store.hpp"
#include "util/directory_stream.hpp"
#include "util/own_permissions.hpp"
#include "util/safe_name.hpp"

namespace adoc {

namespace {

/// The names of what we may have made there.
std::vector<std::string> names_in(const DirectoryPtr& own) {
  std::vector<std::string> names;
  const DirectoryStream stream =
      directory_stream(Fd(::openat(own->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (!stream) return names;
  while (const dirent* item = ::readdir(stream.get()))
    if (std::string_view(item->d_name).starts_with(kTemporaryPrefix)) names.push_back(item->d_name);
  return names;
}

std::string with_suffix(const std::string& name, std::string_view old, std::string_view other) {
  return name.substr(0, name.size() - old.size()) + std::string(other);
}

class Cleaner {
 public:
  Cleaner(const DirectoryPtr& own, std::chrono::seconds oldest) : own_(own), oldest_(oldest) {}

  Leftovers run() {
    const bool alone = lock_alone(own_);
    for (const std::string& name : names_in(own_)) {
      if (name.ends_with(kPartialSuffix)) {
        look_at_partial(name);
      } else if (name.ends_with(kJournalSuffix)) {
        if (!status_of(with_suffix(name, kJournalSuffix, kPartialSuffix))) unlink(name);
      } else if (name.ends_with(kSharedSuffix)) {
        look_at_parts(name);
      } else if (name.ends_with(kPiecesSuffix)) {
        if (alone && !status_of(with_suffix(name, kPiecesSuffix, kSharedSuffix))) unlink(name);
      } else if (alone) {
        remove(name);
      }
    }
    return found_;
  }

 private:
  void look_at_partial(const std::string& name) {
    struct stat status {};
    const Fd file = open_for_reading(own_->get(), name, status);
    if (!file || !lock_named(own_, name, file)) return;
    const std::string journal = with_suffix(name, kPartialSuffix, kJournalSuffix);
    const auto written = status_of(journal);
    // Its own time may be the source's already.
    if (written && ::time(nullptr) - written->st_mtim.tv_sec < oldest_.count()) {
      ++found_.files;
      found_.bytes += bytes_of(name);
      return;
    }
    unlink(journal);
    remove(name);
  }

  /// Who joins those that bring parts holds the table's lock before the file's.
  void look_at_parts(const std::string& name) {
    struct stat status {};
    const Fd file = open_for_reading(own_->get(), name, status);
    if (!file || !lock_named(own_, name, file)) return;
    const std::string pieces = with_suffix(name, kSharedSuffix, kPiecesSuffix);
    const Fd table = open_for_reading(own_->get(), pieces, status);
    if (table && !lock_named(own_, pieces, table)) return;
    if (table && ::time(nullptr) - status.st_mtim.tv_sec < oldest_.count()) {
      ++found_.files;
      found_.bytes += bytes_of(name);
      return;
    }
    if (table) unlink(pieces);
    remove(name);
  }

  void remove(const std::string& name) {
    const std::uint64_t bytes = bytes_of(name);
    if (!unlink(name)) return;
    ++found_.removed_files;
    found_.removed_bytes += bytes;
  }

  bool unlink(const std::string& name) { return ::unlinkat(own_->get(), name.c_str(), 0) == 0; }

  [[nodiscard]] std::optional<struct stat> status_of(const std::string& name) const {
    struct stat status {};
    if (::fstatat(own_->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return std::nullopt;
    return status;
  }

  /// On the disk: most of a large file's size may still be a hole.
  [[nodiscard]] std::uint64_t bytes_of(const std::string& name) const {
    const auto status = status_of(name);
    return status ? static_cast<std::uint64_t>(status->st_blocks) * 512 : 0;
  }

  const DirectoryPtr& own_;
  std::chrono::seconds oldest_;
  Leftovers found_;
};

}  // namespace

Leftovers clean_partials(const DirectoryPtr& destination, std::chrono::seconds oldest) noexcept {
  try {
    OwnDirectory own = open_own_directory(destination, false);
    if (!own.directory) return {.trouble = own.trouble};
    const Leftovers found = Cleaner(own.directory, oldest).run();
    own.directory.reset();  // and the lock
    remove_empty_store(destination);
    return found;
  } catch (const std::bad_alloc&) {
    return {.trouble = "out of memory"};
  }
}

void remove_empty_store(const DirectoryPtr& destination) noexcept {
  try {
    const OwnDirectory own = open_own_directory(destination, false);
    // Nobody may be about to make a file in it.
    if (own.directory && lock_alone(own.directory))
      ::unlinkat(destination->get(), std::string(kOwnDirectory).c_str(), AT_REMOVEDIR);
  } catch (const std::bad_alloc&) {
    // An empty directory more.
  }
}

}  // namespace adoc
