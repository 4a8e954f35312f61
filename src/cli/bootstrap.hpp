#pragma once

#include <string>

#include "cli/cp_place.hpp"
#include "cli/ssh_command.hpp"

namespace adoc::cli {

/// Copies this very version of adoc-cp, as a static build where one is installed, to the cache
/// directory of the user over there, unless it is there, and has its SHA-256 checked there before
/// anything runs it. Gives what to run. Throws Error(connect) for a machine of another kind and
/// where the copy fails.
[[nodiscard]] std::string bring_program(const SshOptions& options, const Place& place);

}  // namespace adoc::cli
