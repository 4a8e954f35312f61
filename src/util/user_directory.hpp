#pragma once

#include <string>

namespace adoc {

/// A user's directory as the XDG base directory specification has it: what the variable says if
/// that is an absolute path, else this one below the home directory; empty without a home.
[[nodiscard]] std::string user_directory(const char* variable, const char* below_home);

}  // namespace adoc
