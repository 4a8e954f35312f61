#include "source/walker.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <set>

#include "source/input_file.hpp"
#include "util/errno_error.hpp"
#include "util/fd.hpp"

namespace adoc {

namespace {

std::string joined(const std::string& directory, std::string_view leaf) {
  if (directory.empty()) return std::string(leaf);
  return directory + (directory.ends_with('/') ? "" : "/") + std::string(leaf);
}

void refuse_same_names(const std::vector<std::string>& paths, const std::string& stdin_name) {
  std::set<std::string> names;
  for (const std::string& path : paths) {
    const std::string name = path == "-" ? stdin_name : destination_name(path);
    if (!name.empty() && !names.insert(name).second)
      throw Error(ErrorKind::usage, "two of the paths would both become " + quoted(name) +
                                        " on the other side; send them one after the other");
  }
}

void refuse_all_missing(const std::vector<std::string>& paths) {
  struct stat status {};
  for (const std::string& path : paths)
    if (path == "-" || ::lstat(path.c_str(), &status) == 0) return;
  throw errno_error(ErrorKind::local_file, "read " + quoted(paths.front()), errno);
}

std::string read_link(const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) throw errno_error(ErrorKind::local_file, "read the link", errno);
  target.resize(static_cast<std::size_t>(length));
  return target;
}

/// Entry of what `status` tells; throws Error for what cannot be sent.
Entry describe(const std::string& path, SafeName name, const struct stat& status, bool hash) {
  Entry entry{.name = std::move(name)};
  entry.mode = status.st_mode & 07777;
  entry.mtime_seconds = status.st_mtim.tv_sec;
  entry.mtime_nanoseconds = static_cast<std::uint32_t>(status.st_mtim.tv_nsec);
  if (S_ISDIR(status.st_mode)) {
    entry.kind = EntryKind::directory;
  } else if (S_ISLNK(status.st_mode)) {
    entry.kind = EntryKind::symlink;
    entry.link_target = read_link(path);
  } else if (S_ISREG(status.st_mode)) {
    entry.size = static_cast<std::uint64_t>(status.st_size);
    const bool may_have_holes = status.st_blocks * 512 < status.st_size;
    if (may_have_holes) entry.data = data_runs(path, entry.size);
    if (hash) entry.hash = hash_file(path);
  } else {
    throw Error(ErrorKind::local_file, "it is not a file, a directory or a symbolic link");
  }
  return entry;
}

Entry describe_stdin(SafeName name) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return {.kind = EntryKind::file,
          .name = std::move(name),
          .mode = 0644,
          .mtime_seconds = now.tv_sec,
          .mtime_nanoseconds = static_cast<std::uint32_t>(now.tv_nsec),
          .size = kUnknownSize};
}

/// A directory that cannot be read, or not to its end. One that is given by its contents has no
/// entry (and no name) of its own; whoever reads of the failure knows the directory's.
Found unlisted(std::optional<Found> directory, const std::string& path, int error_number) {
  if (!directory) {
    const std::string name = destination_name(path.substr(0, path.find_last_not_of('/') + 1));
    directory = Found{{.name = SafeName::check(name.empty() ? "contents" : name)}, path, {}};
  }
  directory->failure = "cannot list it: " + errno_text(error_number);
  return *std::move(directory);
}

}  // namespace

std::string destination_name(std::string_view path) {
  const std::string_view leaf = path.substr(path.rfind('/') + 1);
  return leaf == "." || leaf == ".." ? std::string() : std::string(leaf);
}

Walker::Walker(Setup setup) : setup_(std::move(setup)) {
  refuse_same_names(setup_.paths, setup_.stdin_name);
  refuse_all_missing(setup_.paths);
}

std::optional<Found> Walker::next() {
  while (true) {
    if (stack_.empty()) {
      if (next_path_ == setup_.paths.size()) return std::nullopt;
      if (auto found = start_path(setup_.paths[next_path_++])) return found;
      continue;
    }
    Level& level = stack_.back();
    errno = 0;
    const dirent* item = ::readdir(level.stream.get());
    if (item == nullptr) {
      const int error_number = errno;
      std::optional<Found> directory = std::move(level.itself);
      if (error_number != 0) directory = unlisted(std::move(directory), level.path, error_number);
      stack_.pop_back();
      if (directory) return directory;
      continue;
    }
    const std::string_view leaf = item->d_name;
    if (leaf == "." || leaf == "..") continue;
    if (auto found = visit(joined(level.path, leaf), joined(level.name, leaf))) return found;
  }
}

std::optional<Found> Walker::start_path(const std::string& path) {
  if (path == "-") return Found{describe_stdin(SafeName::check(setup_.stdin_name)), path, {}};
  const std::string name = destination_name(path);
  if (!name.empty()) return visit(path, name);
  const int error_number = enter(path, {}, std::nullopt);
  if (error_number == 0) return std::nullopt;
  return unlisted(std::nullopt, path, error_number);
}

std::optional<Found> Walker::visit(std::string path, std::string name) {
  if (name.size() > SafeName::kMaxBytes)
    return Found{
        {.name = SafeName::check("name too long")}, std::move(path), "its name is too long"};
  if (leads_to_own_directory(name)) {
    if (!setup_.filter.includes(name, true)) return std::nullopt;
    return Found{{.name = SafeName::check("name in use")},
                 std::move(path),
                 "a receiver keeps under this name what has arrived of unfinished files"};
  }
  Found found{{.name = SafeName::check(name)}, path, {}};
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    found.failure = "cannot look at it: " + errno_text(errno);
    return found;
  }
  const bool is_directory = S_ISDIR(status.st_mode);
  if (!setup_.filter.includes(name, is_directory)) return std::nullopt;
  try {
    found.entry = describe(path, found.entry.name, status, setup_.hash_contents);
  } catch (const Error& error) {
    found.failure = error.what();
    return found;
  }
  if (!is_directory) return found;
  const int error_number = enter(path, name, found);
  if (error_number != 0) return unlisted(std::move(found), path, error_number);
  return std::nullopt;
}

int Walker::enter(const std::string& path, std::string name, std::optional<Found> itself) {
  // A directory given by its contents may be reached through a link, one that was found may not.
  const int no_follow = itself ? O_NOFOLLOW : 0;
  Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | no_follow));
  if (!directory) return errno;
  Level level;
  level.stream.reset(::fdopendir(directory.get()));
  if (level.stream == nullptr) return errno;
  level.path = path;
  level.name = std::move(name);
  level.itself = std::move(itself);
  static_cast<void>(directory.release());
  stack_.push_back(std::move(level));
  return 0;
}

}  // namespace adoc
