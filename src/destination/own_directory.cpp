#include "destination/own_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "util/errno_error.hpp"
#include "util/safe_name.hpp"

namespace adoc {

namespace {

const std::string kName(kOwnDirectory);

/// Whoever removes it does so between any two steps of whoever opens it; not for ever.
constexpr int kAttempts = 100;

bool same_file(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Whether the name still means the file that is open.
bool is_named(const DirectoryPtr& directory, const std::string& name, const struct stat& opened) {
  struct stat status {};
  return ::fstatat(directory->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         same_file(status, opened);
}

OwnDirectory unusable(const std::string& why) { return {nullptr, why}; }

}  // namespace

OwnDirectory open_own_directory(const DirectoryPtr& destination, bool make) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Fd directory(::openat(destination->get(), kName.c_str(),
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory && errno == ENOENT) {
      if (!make) return {};
      if (::mkdirat(destination->get(), kName.c_str(), 0700) != 0 && errno != EEXIST)
        return unusable("it cannot be made: " + errno_text(errno));
      continue;
    }
    if (!directory && (errno == ELOOP || errno == ENOTDIR))
      return unusable("it is not a directory");
    if (!directory) return unusable("it cannot be opened: " + errno_text(errno));
    struct stat status {};
    if (::fstat(directory.get(), &status) != 0) return unusable(errno_text(errno));
    // Anybody else who may write there could exchange what was received.
    if (status.st_uid != ::geteuid() || (status.st_mode & 077) != 0)
      return unusable("others can write or look into it");
    // A file system without locks has nobody who could be kept out.
    ::flock(directory.get(), LOCK_SH);
    if (!is_named(destination, kName, status)) continue;
    return {std::make_shared<const Fd>(std::move(directory)), {}};
  }
  return unusable("it comes and goes");
}

bool lock_alone(const DirectoryPtr& own) noexcept {
  return ::flock(own->get(), LOCK_EX | LOCK_NB) == 0;
}

bool lock_named(const DirectoryPtr& own, const std::string& name, const Fd& file) noexcept {
  struct stat status {};
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(file.get(), &status) == 0 &&
         S_ISREG(status.st_mode) && status.st_nlink == 1 && is_named(own, name, status);
}

}  // namespace adoc
