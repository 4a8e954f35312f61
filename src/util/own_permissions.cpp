#include "util/own_permissions.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace adoc {

namespace {

using ProcPath = std::array<char, 32>;

/// A path that leads to what is open, whatever its name means by now.
ProcPath path_of(int fd) noexcept {
  ProcPath path{};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", fd);
  return path;
}

bool is_ours(const struct stat& status) noexcept {
  return !S_ISLNK(status.st_mode) && status.st_uid == ::geteuid();
}

}  // namespace

// fchmod() takes no O_PATH descriptor.
bool set_mode(int fd, mode_t mode) noexcept { return ::chmod(path_of(fd).data(), mode) == 0; }

// AT_EMPTY_PATH takes a right that only root has.
bool link_open(int fd, int directory, const std::string& name) noexcept {
  return ::linkat(AT_FDCWD, path_of(fd).data(), directory, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

std::optional<mode_t> permit_owner(int fd, mode_t bits) noexcept {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !is_ours(status)) return std::nullopt;
  const mode_t mode = status.st_mode & 07777;
  if ((mode & bits) == bits || !set_mode(fd, mode | bits)) return std::nullopt;
  return mode;
}

std::optional<mode_t> permit_owner(int directory, const std::string& name, mode_t bits) noexcept {
  const Fd found(::openat(directory, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  return found ? permit_owner(found.get(), bits) : std::nullopt;
}

Fd open_for_reading(int directory, const std::string& name, struct stat& status) noexcept {
  Fd file(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file) return ::fstat(file.get(), &status) == 0 ? std::move(file) : Fd();
  if (errno != EACCES) return {};
  const Fd found(::openat(directory, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!found || ::fstat(found.get(), &status) != 0) return {};
  const mode_t mode = status.st_mode & 07777;
  if (!S_ISREG(status.st_mode) || !is_ours(status) || !set_mode(found.get(), mode | S_IRUSR)) {
    errno = EACCES;
    return {};
  }
  file = Fd(::open(path_of(found.get()).data(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const int error_number = errno;
  // What cannot be set back, the owner could have set himself.
  static_cast<void>(set_mode(found.get(), mode));
  errno = error_number;
  return file;
}

}  // namespace adoc
