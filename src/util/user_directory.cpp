#include "util/user_directory.hpp"

#include <cstdlib>

namespace adoc {

std::string user_directory(const char* variable, const char* below_home) {
  const auto from = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    // The specification: a relative path is to be taken for none.
    return value != nullptr && value[0] == '/' ? value : "";
  };
  std::string directory = from(variable);
  if (!directory.empty()) return directory;
  const std::string home = from("HOME");
  return home.empty() ? home : home + "/" + below_home;
}

}  // namespace adoc
