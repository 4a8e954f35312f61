#include "destination/output_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <utility>

#include "destination/remove_tree.hpp"
#include "util/errno_error.hpp"
#include "util/open_beneath.hpp"

namespace adoc {

namespace {

/// A system writes what was changed to the disk within a minute or so.
constexpr std::time_t kWrittenAfterSeconds = 3'600;

constexpr int kOpenFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Error cannot_open(std::string_view component, int error_number) {
  const std::string name = adoc::quoted(component);
  if (error_number == ENOTDIR || error_number == ELOOP)
    return {ErrorKind::local_file, name + " on its way is not a directory"};
  return errno_error(ErrorKind::local_file, "open the directory " + name, error_number);
}

/// Order of paths in which each is followed by what is below it.
bool comes_first(std::string_view a, std::string_view b) noexcept {
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; };
  return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
}

/// Bytes of the path that are whole components of the other one, too.
std::size_t common_components(std::string_view other, std::string_view path) noexcept {
  const auto ends = [](std::string_view text, std::size_t at) {
    return at == text.size() || text[at] == '/';
  };
  auto at = static_cast<std::size_t>(std::ranges::mismatch(other, path).in2 - path.begin());
  while (at != 0 && !(ends(other, at) && ends(path, at))) --at;
  return at;
}

/// Makes the directory and its parents where they are missing, each flushed into the one above it.
/// An errno, or 0.
int make_destination(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::exists(path, error)) return 0;
  const std::filesystem::path above = path.parent_path();
  if (const int error_number = make_destination(above)) return error_number;
  if (!path.has_filename()) return 0;  // behind a last slash
  if (::mkdir(path.c_str(), 0777) != 0) return errno == EEXIST ? 0 : errno;
  const char* const parent = above.empty() ? "." : above.c_str();
  const Fd directory(::open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) return ::fsync(directory.get()) == 0 || errno == EINVAL ? 0 : errno;
  // It may be one that we can write in and not read.
  const Fd made(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return made && ::syncfs(made.get()) == 0 ? 0 : errno;
}

}  // namespace

void OutputTree::go_on() const {
  if (setup_.stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
}

DirectoryPtr OutputTree::make_parent(const SafeName& name) { return parent(name, true); }

DirectoryPtr OutputTree::find_parent(const SafeName& name) { return parent(name, false); }

DirectoryPtr OutputTree::parent(const SafeName& name, bool make) {
  if (name.directory().empty()) refuse_own(name.str());
  return open(name.directory(), make);
}

// By what it is: no list of names has all that some file system takes for it.
void OutputTree::refuse_own(std::string_view component) const {
  struct stat meant {};
  struct stat own {};
  const auto look = [this](std::string_view name, struct stat& status) {
    return ::fstatat(root_->get(), std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  };
  if (look(component, meant) && S_ISDIR(meant.st_mode) && look(kOwnDirectory, own) &&
      meant.st_dev == own.st_dev && meant.st_ino == own.st_ino)
    throw Error(ErrorKind::local_file, adoc::quoted(component) +
                                           " is the receiver's own directory " +
                                           std::string(kOwnDirectory) + " by another name here");
}

// Where there was no directory of our own yet, it would be this one from now on.
void OutputTree::expect_foreign_directory(const std::string& made) const {
  try {
    refuse_own(made);
  } catch (const Error&) {
    ::unlinkat(root_->get(), made.c_str(), AT_REMOVEDIR);
    throw;
  }
}

DirectoryPtr OutputTree::open(std::string_view path, bool make) {
  if (path.empty()) return root_;
  if (latest_ && path == latest_path_ && (latest_for_writing_ || !make)) return latest_;
  if (!make && path == missing_path_) return nullptr;
  refuse_own(path.substr(0, path.find('/')));
  DirectoryPtr directory;
  if (Fd whole = open_directory_beneath(root_->get(), std::string(path)))
    directory = std::make_shared<const Fd>(std::move(whole));
  else if (make || errno != ENOENT)
    directory = walk(path, make);
  if (!directory) {
    missing_path_ = path;
    return nullptr;
  }
  // Whoever has it made writes in it, and whoever does not looks into it.
  const int rights = make ? W_OK | X_OK : X_OK;
  if (::faccessat(directory->get(), ".", rights, AT_EACCESS) != 0 ||
      LentPermissions::is_lent(directory->get()))
    static_cast<void>(lent_.lend(directory->get(), path));
  latest_path_ = path;
  latest_ = directory;
  latest_for_writing_ = make;
  return directory;
}

OutputTree::Start OutputTree::deepest(std::string_view path) const {
  std::vector<std::size_t> ends;  // of the components, but for the last
  for (std::size_t at = 0; (at = path.find('/', at)) != path.npos; ++at) ends.push_back(at);
  Start found{root_, 0};
  // Halving takes a few calls where one for each level would make a deep tree's cost quadratic.
  for (auto from = ends.begin(), to = ends.end(); from != to;) {
    const auto middle = from + (to - from) / 2;
    Fd directory = open_directory_beneath(root_->get(), std::string(path.substr(0, *middle)));
    if (directory) {
      found = {std::make_shared<const Fd>(std::move(directory)), *middle + 1};
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return found;
}

DirectoryPtr OutputTree::walk(std::string_view path, bool make) {
  auto [directory, begin] = deepest(path);
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string component(path.substr(begin, end - begin));
    const Place place{directory->get(), component, path.substr(0, end)};
    Fd next = open(place);
    const bool in_the_way = !next && gives_way(place, errno);
    if (in_the_way || (!next && errno == ENOENT)) {
      if (!make) return nullptr;
      if (in_the_way && ::unlinkat(place.parent, component.c_str(), 0) != 0)
        throw errno_error(ErrorKind::local_file, "remove " + adoc::quoted(component), errno);
      make_directory(place);
      if (begin == 0) expect_foreign_directory(component);
      next = open(place);
    }
    if (!next) throw cannot_open(component, errno);
    directory = std::make_shared<const Fd>(std::move(next));
    begin = end + 1;
  }
  return directory;
}

bool OutputTree::gives_way(const Place& place, int error_number) const noexcept {
  struct stat status {};
  const bool found = force_ && (error_number == ENOTDIR || error_number == ELOOP) &&
                     ::fstatat(place.parent, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  errno = error_number;
  return found && !S_ISDIR(status.st_mode);
}

void OutputTree::make_way(const DirectoryPtr& parent, const std::string& name) {
  struct stat status {};
  if (!force_ || ::fstatat(parent->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISDIR(status.st_mode))
    return;
  latest_.reset();
  remove_tree(parent->get(), name, [this] { go_on(); });
}

Fd OutputTree::open(const Place& place) {
  const auto attempt = [&] { return Fd(::openat(place.parent, place.name.c_str(), kOpenFlags)); };
  Fd directory = attempt();
  if (directory || errno != EACCES) return directory;
  // What it lies in may not be searched, or itself not be read.
  if (lend_parent(place)) directory = attempt();
  const Fd itself(directory ? -1
                            : ::openat(place.parent, place.name.c_str(),
                                       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (itself && lent_.lend(itself.get(), place.path)) directory = attempt();
  if (!directory) errno = EACCES;
  return directory;
}

void OutputTree::make_directory(const Place& place) {
  if (setup_.intake != nullptr) setup_.intake->expect_directory();
  const auto attempt = [&] { return ::mkdirat(place.parent, place.name.c_str(), 0700) == 0; };
  if (attempt() || (errno == EACCES && lend_parent(place) && attempt())) return;
  const int error_number = errno;
  if (setup_.intake != nullptr) setup_.intake->no_directory();
  if (error_number != EEXIST)
    throw errno_error(ErrorKind::local_file, "make the directory " + adoc::quoted(place.name),
                      error_number);
}

bool OutputTree::lend_parent(const Place& place) {
  const std::size_t slash = place.path.rfind('/');
  const bool lent =
      slash != place.path.npos && lent_.lend(place.parent, place.path.substr(0, slash));
  if (!lent) errno = EACCES;
  return lent;
}

void OutputTree::changed(std::string_view path, const DirectoryPtr& directory) {
  // Entries come directory by directory: looking at the latest few finds most repetitions.
  const auto recent = changed_.end() - std::min<std::ptrdiff_t>(4, std::ssize(changed_));
  if (std::ranges::find(recent, changed_.end(), path, &Changed::path) != changed_.end()) return;
  struct stat status {};
  ::fstat(directory->get(), &status);
  changed_.push_back({std::string(path), status.st_dev, status.st_ino});
}

void OutputTree::found(std::string_view path, const DirectoryPtr& directory) {
  struct stat status {};
  if (::fstat(directory->get(), &status) == 0 &&
      std::time(nullptr) - status.st_ctim.tv_sec > kWrittenAfterSeconds)
    return;
  changed(path, directory);
}

void OutputTree::flush_file_system() const noexcept { ::syncfs(root_->get()); }

void OutputTree::flush() {
  const std::vector<Changed> all = std::exchange(changed_, {});
  latest_.reset();
  missing_path_.clear();
  if (all.empty()) return;
  adoc::flush(root_->get());
  std::vector<const Changed*> sorted;
  for (const Changed& one : all) sorted.push_back(&one);
  std::ranges::sort(sorted, comes_first, [](const Changed* one) { return one->path; });
  Flushed latest{root_, {}};
  for (const Changed* one : sorted) {
    if (flush(*one, latest)) continue;
    // It was moved meanwhile, and lies wherever it lies.
    if (::syncfs(root_->get()) != 0)
      throw errno_error(ErrorKind::local_file, "flush its directory to the disk", errno);
  }
}

bool OutputTree::flush(const Changed& changed, Flushed& latest) const {
  const std::string_view path = changed.path;
  const std::size_t flushed = common_components(latest.path, path);
  DirectoryPtr at = latest.directory;
  std::size_t end = flushed;
  if (flushed != latest.path.size()) {
    // From where the two ways part; where the system refuses that in one step, from the top.
    Fd shared = open_directory_beneath(root_->get(), std::string(path.substr(0, flushed)));
    if (!shared) end = 0;
    at = shared ? std::make_shared<const Fd>(std::move(shared)) : root_;
  }
  while (end < path.size()) {
    const std::size_t begin = end == 0 ? 0 : end + 1;
    end = std::min(path.find('/', begin), path.size());
    const std::string component(path.substr(begin, end - begin));
    Fd next(::openat(at->get(), component.c_str(), kOpenFlags));
    if (!next) return false;
    at = std::make_shared<const Fd>(std::move(next));
    if (end > flushed) adoc::flush(at->get());
  }
  latest = {at, path};
  struct stat status {};
  return ::fstat(at->get(), &status) == 0 && status.st_dev == changed.device &&
         status.st_ino == changed.inode;
}

DirectoryPtr open_destination(const std::string& path) {
  if (const int error_number = make_destination(path))
    throw errno_error(ErrorKind::local_file, "write below " + adoc::quoted(path), error_number);
  Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory)
    throw errno_error(ErrorKind::local_file, "write below " + adoc::quoted(path), errno);
  if (::faccessat(directory.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
    throw errno_error(ErrorKind::local_file, "write below " + adoc::quoted(path), errno);
  return std::make_shared<const Fd>(std::move(directory));
}

void expect_named(const DirectoryPtr& destination, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  if (::fstat(destination->get(), &opened) != 0) return;
  const bool found = ::stat(path.c_str(), &named) == 0;
  if (!found && errno != ENOENT && errno != ENOTDIR) return;
  // "." names a directory that was removed.
  const bool is_it = found && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
  if (is_it && opened.st_nlink != 0) return;
  throw Error(ErrorKind::local_file,
              "the directory " + adoc::quoted(path) +
                  " in which the receiving side writes is gone" +
                  (found && !is_it ? ", and another one has its name" : "") +
                  "; that side has to be started again, in one that is there");
}

}  // namespace adoc
