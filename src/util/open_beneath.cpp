#include "util/open_beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <cerrno>
#include <climits>

namespace adoc {

namespace {

Fd open_in_one_step(int directory, const std::string& path, int flags) noexcept {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return Fd(static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof(how))));
}

Fd open_by_components(int directory, const std::string& path, int flags) {
  Fd parent;
  std::size_t begin = 0;
  for (std::size_t slash; (slash = path.find('/', begin)) != path.npos; begin = slash + 1) {
    const std::string component = path.substr(begin, slash - begin);
    // O_PATH: to go through a directory takes no right to list it.
    Fd next(::openat(parent ? parent.get() : directory, component.c_str(),
                     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return next;
    parent = std::move(next);
  }
  return Fd(::openat(parent ? parent.get() : directory, path.c_str() + begin,
                     flags | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

Fd open_directory_beneath(int directory, const std::string& path) noexcept {
  return open_in_one_step(directory, path, O_RDONLY | O_DIRECTORY);
}

Fd open_beneath(int directory, const std::string& path, int flags) {
  if (path.size() < PATH_MAX) {
    Fd file = open_in_one_step(directory, path, flags);
    // ENOSYS: an old kernel; EPERM: a sandbox that does not know the call.
    if (file || (errno != ENOSYS && errno != EPERM)) return file;
  }
  return open_by_components(directory, path, flags);
}

}  // namespace adoc
