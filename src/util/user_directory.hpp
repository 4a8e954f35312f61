#pragma once

#include <string>

namespace adoc {

/// A user's directory as the XDG base directory specification has it: what the variable says if
/// that is an absolute path, else this one below the home directory. Home is what HOME says, and
/// without it (a service, cron, `env -i`) what the password database does; empty without either.
[[nodiscard]] std::string user_directory(const char* variable, const char* below_home);

}  // namespace adoc
