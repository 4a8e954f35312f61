#pragma once

#include <string>
#include <vector>

#include "cli/cp_place.hpp"

namespace adoc::cli {

/// What adoc-cp is told about ssh. All else is in the user's configuration of ssh.
struct SshOptions {
  std::string program = "ssh";
  std::vector<std::string> arguments{};  ///< passed on as they are: -i FILE, -o OPTION ...
  std::string port{};                    ///< -P; counts less than that of a URI
};

/// What starts `command` over there; nothing of it is for a shell to expand.
[[nodiscard]] std::vector<std::string> ssh_command(const SshOptions& options, const Place& place,
                                                   const std::string& command);

/// What tells how ssh understands the host: ssh -G.
[[nodiscard]] std::vector<std::string> ssh_query(const SshOptions& options, const Place& place);

}  // namespace adoc::cli
