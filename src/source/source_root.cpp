#include "source/source_root.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "util/errno_error.hpp"
#include "util/open_beneath.hpp"
#include "wire/outcome.hpp"

namespace adoc {

namespace {

/// File systems whose own files have no lasting numbers. As long as a file is in use it has one.
constexpr std::array<long, 6> kNumberedAnew{
    FUSE_SUPER_MAGIC, MSDOS_SUPER_MAGIC, V9FS_MAGIC,
    // Not in the headers of older kernels: exFAT, SMB 2 and 3, SMB 1.
    0x2011bab0, 0xfe534d42, 0xff534d42};

}  // namespace

FileIdentity identity_of(const struct stat& status) noexcept {
  return {status.st_dev, status.st_ino, status.st_mode & S_IFMT};
}

bool is_listed(int file, const struct stat& status, const FileIdentity& listed) {
  const FileIdentity found = identity_of(status);
  if (found == listed) return true;
  struct statfs system {};
  return found.device == listed.device && found.kind == listed.kind &&
         ::fstatfs(file, &system) == 0 &&
         std::ranges::find(kNumberedAnew, system.f_type) != kNumberedAnew.end();
}

Error source_error(std::string_view action, int error_number) {
  if (error_number == ENOENT) return {ErrorKind::local_file, std::string(kVanished)};
  return errno_error(ErrorKind::local_file, action, error_number);
}

SourceRootPtr SourceRoot::open(Setup setup) {
  const std::shared_ptr<SourceRoot> root(new SourceRoot(std::move(setup)));
  Fd directory = root->open_by_name();
  if (!directory || ::fstat(directory.get(), &root->status_) != 0) return nullptr;
  if (root->setup_.keeps_descriptor) root->kept_ = std::move(directory);
  return root;
}

Fd SourceRoot::open_by_name() const {
  const int no_follow = setup_.follows_link ? 0 : O_NOFOLLOW;
  return Fd(::open(setup_.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | no_follow));
}

Fd SourceRoot::open_itself() const {
  if (kept_) return Fd(::fcntl(kept_.get(), F_DUPFD_CLOEXEC, 0));
  Fd directory = open_by_name();
  struct stat status {};
  if (!directory || ::fstat(directory.get(), &status) != 0) return {};
  if (identity_of(status) == identity_of(status_)) return directory;
  errno = ENOENT;  // what was listed is not there any more
  return {};
}

Fd SourceRoot::open_below(const std::string& path, int flags) const {
  Fd opened;
  if (!kept_) opened = open_itself();
  const int directory = kept_ ? kept_.get() : opened.get();
  if (directory < 0) return {};
  // Where links lead is what was asked for: whoever opens compares it with what was listed.
  if (setup_.follows_links_below)
    return Fd(::openat(directory, path.c_str(), (flags & ~O_NOFOLLOW) | O_CLOEXEC));
  return open_beneath(directory, path, flags);
}

bool SourceRoot::look_below(const std::string& path, struct stat& status) const {
  Fd opened;
  if (!kept_) opened = open_itself();
  const int directory = kept_ ? kept_.get() : opened.get();
  const int flags = setup_.follows_links_below ? 0 : AT_SYMLINK_NOFOLLOW;
  return directory >= 0 && ::fstatat(directory, path.c_str(), &status, flags) == 0;
}

Fd SourceFile::open() const {
  // Not to wait on a FIFO that took the file's place.
  constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
  if (root) return root->open_below(path.substr(below_root), kFlags);
  return Fd(::open(path.c_str(), kFlags | (follows_link ? 0 : O_NOFOLLOW)));
}

bool SourceFile::is_listed(int file, const struct stat& status) const {
  // Where no directory is held, only the number tells.
  return root ? adoc::is_listed(file, status, identity) : identity_of(status) == identity;
}

}  // namespace adoc
