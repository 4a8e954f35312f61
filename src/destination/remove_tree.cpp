#include "destination/remove_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "adoc/error.hpp"
#include "util/directory_stream.hpp"
#include "util/errno_error.hpp"
#include "util/fd.hpp"
#include "util/safe_name.hpp"

namespace adoc {

namespace {

/// One of those from the outermost to the one that is being emptied.
struct EmptiedDirectory {
  DirectoryStream directory;
  std::string name;  ///< in the one before
};

[[noreturn]] void cannot_remove(const std::string& name, int error_number) {
  throw errno_error(ErrorKind::local_file, "remove " + adoc::quoted(name) + " in its place",
                    error_number);
}

DirectoryStream open(int parent, const std::string& name, dev_t device) {
  Fd opened(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0) cannot_remove(name, errno);
  if (status.st_dev != device) cannot_remove(name, EXDEV);
  DirectoryStream directory = directory_stream(std::move(opened));
  if (!directory) cannot_remove(name, errno);
  return directory;
}

/// Removes what it can until it comes upon a directory, whose name it gives; empty at the end.
std::string directory_in(DIR* directory, const std::function<void()>& go_on) {
  while (true) {
    errno = 0;
    const dirent* const item = ::readdir(directory);
    if (item == nullptr && errno != 0) throw errno_error(ErrorKind::local_file, "list it", errno);
    if (item == nullptr) return {};
    const std::string name = item->d_name;
    if (name == "." || name == "..") continue;
    go_on();
    if (::unlinkat(::dirfd(directory), name.c_str(), 0) == 0 || errno == ENOENT) continue;
    // POSIX has EPERM for a directory, Linux EISDIR.
    const int error_number = errno;
    struct stat status {};
    if (::fstatat(::dirfd(directory), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISDIR(status.st_mode))
      cannot_remove(name, error_number);
    return name;
  }
}

}  // namespace

void remove_tree(int parent, const std::string& name, const std::function<void()>& go_on) {
  struct stat status {};
  if (::fstat(parent, &status) != 0) cannot_remove(name, errno);
  std::vector<EmptiedDirectory> levels;
  levels.push_back({open(parent, name, status.st_dev), name});
  while (!levels.empty()) {
    DIR* const directory = levels.back().directory.get();
    if (std::string below = directory_in(directory, go_on); !below.empty()) {
      levels.push_back({open(::dirfd(directory), below, status.st_dev), below});
      continue;
    }
    const std::string emptied = std::move(levels.back().name);
    levels.pop_back();
    const int above = levels.empty() ? parent : ::dirfd(levels.back().directory.get());
    if (::unlinkat(above, emptied.c_str(), AT_REMOVEDIR) != 0) cannot_remove(emptied, errno);
  }
}

}  // namespace adoc
