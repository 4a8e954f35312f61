#include "util/user_directory.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

namespace adoc {

namespace {

// The specification: a relative path is to be taken for none.
std::string absolute(const char* path) { return path != nullptr && path[0] == '/' ? path : ""; }

/// What the password database says of the user; empty when it does not know them.
std::string registered_home() {
  constexpr std::size_t kMostBytes = 1 << 20;
  passwd entry{};
  passwd* found = nullptr;
  for (std::vector<char> text(4'096); text.size() <= kMostBytes; text.resize(text.size() * 4)) {
    const int error = ::getpwuid_r(::getuid(), &entry, text.data(), text.size(), &found);
    if (error == ERANGE) continue;
    return error == 0 && found != nullptr ? absolute(entry.pw_dir) : "";
  }
  return "";
}

}  // namespace

std::string user_directory(const char* variable, const char* below_home) {
  std::string directory = absolute(std::getenv(variable));
  if (!directory.empty()) return directory;
  std::string home = absolute(std::getenv("HOME"));
  if (home.empty()) home = registered_home();
  return home.empty() ? home : home + "/" + below_home;
}

}  // namespace adoc
