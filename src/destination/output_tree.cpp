#include "destination/output_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "util/errno_error.hpp"
#include "util/open_beneath.hpp"

namespace adoc {

namespace {

constexpr int kOpenFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Error cannot_open(std::string_view component, int error_number) {
  const std::string name = adoc::quoted(component);
  if (error_number == ENOTDIR || error_number == ELOOP)
    return {ErrorKind::local_file, name + " on its way is not a directory"};
  return errno_error(ErrorKind::local_file, "open the directory " + name, error_number);
}

}  // namespace

void OutputTree::go_on() const {
  if (setup_.stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
}

DirectoryPtr OutputTree::make_parent(const SafeName& name) { return open(name.directory(), true); }

DirectoryPtr OutputTree::find_parent(const SafeName& name) { return open(name.directory(), false); }

DirectoryPtr OutputTree::open(std::string_view path, bool make) {
  if (path.empty()) return root_;
  if (latest_ && path == latest_path_) return latest_;
  if (!make && path == missing_path_) return nullptr;
  Fd whole = open_directory_beneath(root_->get(), std::string(path));
  DirectoryPtr directory = whole ? std::make_shared<const Fd>(std::move(whole)) : walk(path, make);
  if (!directory) {
    missing_path_ = path;
    return nullptr;
  }
  latest_path_ = path;
  latest_ = directory;
  return directory;
}

DirectoryPtr OutputTree::walk(std::string_view path, bool make) {
  DirectoryPtr directory = root_;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t slash = rest.find('/');
    const std::string component(rest.substr(0, slash));
    rest = slash == rest.npos ? std::string_view() : rest.substr(slash + 1);
    Fd next(::openat(directory->get(), component.c_str(), kOpenFlags));
    if (!next && errno == ENOENT) {
      if (!make) return nullptr;
      make_in(directory, component);
      next = Fd(::openat(directory->get(), component.c_str(), kOpenFlags));
    }
    if (!next) throw cannot_open(component, errno);
    directory = std::make_shared<const Fd>(std::move(next));
  }
  return directory;
}

void OutputTree::make_in(const DirectoryPtr& directory, const std::string& component) {
  if (setup_.intake != nullptr) setup_.intake->expect_directory();
  if (::mkdirat(directory->get(), component.c_str(), 0700) != 0) {
    const int error_number = errno;
    if (setup_.intake != nullptr) setup_.intake->no_directory();
    if (error_number != EEXIST)
      throw errno_error(ErrorKind::local_file, "make the directory " + adoc::quoted(component),
                        error_number);
  }
  changed(directory);
}

void OutputTree::changed(const DirectoryPtr& directory) {
  // Entries come directory by directory: looking at the latest few finds most repetitions.
  const auto recent = changed_.end() - std::min<std::ptrdiff_t>(4, std::ssize(changed_));
  if (std::find(recent, changed_.end(), directory) == changed_.end()) changed_.push_back(directory);
}

void OutputTree::flush_file_system() const noexcept { ::syncfs(root_->get()); }

void OutputTree::flush() {
  for (const DirectoryPtr& directory : changed_) flush_directory(directory);
  changed_.clear();
  latest_.reset();
  missing_path_.clear();
}

DirectoryPtr open_destination(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  Fd directory(error ? -1 : ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory)
    throw errno_error(ErrorKind::local_file, "write below " + adoc::quoted(path),
                      error ? error.value() : errno);
  if (::faccessat(directory.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
    throw errno_error(ErrorKind::local_file, "write below " + adoc::quoted(path), errno);
  return std::make_shared<const Fd>(std::move(directory));
}

}  // namespace adoc
