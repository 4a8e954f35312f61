#include "cli/cp_paths.hpp"

#include <glob.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "adoc/error.hpp"
#include "source/walker.hpp"
#include "util/errno_error.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {

namespace {

/// "" and "." are the current directory.
std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

struct FreeMemory {
  void operator()(char* text) const noexcept { std::free(text); }
};

/// Where a link leads, if to a file: that is replaced, and not the link.
std::string behind_link(const std::string& path) {
  const std::unique_ptr<char, FreeMemory> real(::realpath(path.c_str(), nullptr));
  return real ? std::string(real.get()) : path;
}

[[noreturn]] void throw_cannot_write(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::local_file, "cannot write " + adoc::quoted(path) + ": " + why);
}

std::string home_of(const std::string& user) {
  if (user.empty()) {
    const char* const home = std::getenv("HOME");
    if (home != nullptr && *home != '\0') return home;
  }
  const passwd* const entry = user.empty() ? ::getpwuid(::getuid()) : ::getpwnam(user.c_str());
  return entry == nullptr ? std::string() : entry->pw_dir;
}

}  // namespace

std::string without_final_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string plain_path(std::string path) { return path == "-" ? "./-" : path; }

Destination find_destination(const std::string& path) {
  const std::string given = path.empty() ? "." : path;
  struct stat status {};
  if (::stat(given.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return {.directory = given, .is_directory = true};
    if (!S_ISREG(status.st_mode)) throw_cannot_write(given, "it is neither a file nor a directory");
    const std::string file = behind_link(given);
    return {.directory = parent_of(file), .name = destination_name(file)};
  }
  if (errno != ENOENT) throw_cannot_write(given, errno_text(errno));
  const std::string file = without_final_slashes(given);
  const std::string parent = parent_of(file);
  if (::stat(parent.c_str(), &status) != 0) throw_cannot_write(given, errno_text(errno));
  if (!S_ISDIR(status.st_mode)) throw_cannot_write(given, errno_text(ENOTDIR));
  const std::string name = destination_name(file);
  if (name.empty()) throw_cannot_write(given, errno_text(ENOENT));
  return {.directory = parent,
          .name = name,
          .missing_directory = given == file ? std::string() : given};
}

bool is_no_directory(const std::string& source, bool follows_link) {
  struct stat status {};
  const int looked =
      follows_link ? ::stat(source.c_str(), &status) : ::lstat(source.c_str(), &status);
  return looked == 0 && !S_ISDIR(status.st_mode);
}

void refuse_missing_directory(const std::string& path, ErrorKind kind) {
  throw Error(kind, "cannot write " + adoc::quoted(path) + ": there is no such directory");
}

Destination make_destination(const std::string& path) {
  const Destination destination = find_destination(path);
  if (destination.is_directory) return destination;
  // Another copy may make it at the same time.
  const bool is_made = ::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST;
  const Destination made = is_made ? find_destination(path) : destination;
  if (!made.is_directory) throw_cannot_write(path, errno_text(ENOTDIR));
  return made;
}

std::string expand_home(const std::string& path) {
  if (!path.starts_with('~')) return path;
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string home = home_of(path.substr(1, slash - 1));
  return home.empty() ? path : home + path.substr(slash);
}

std::vector<std::string> expand_pattern(const std::string& pattern) {
  struct stat status {};
  // What is there by just this name is meant, whatever its letters mean in a pattern.
  if (::lstat(pattern.c_str(), &status) == 0) return {pattern};
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), GLOB_NOCHECK, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (paths.empty()) paths.push_back(pattern);
  return paths;
}

void expect_source(const std::vector<std::string>& sources) {
  struct stat status {};
  for (const std::string& source : sources)
    if (::lstat(source.c_str(), &status) == 0) return;
  if (sources.empty()) throw Error(ErrorKind::internal, "there is no source");
  throw errno_error(ErrorKind::local_file, "read " + adoc::quoted(sources.front()), errno);
}

}  // namespace adoc::cli
