#pragma once

#include <chrono>
#include <string>

#include "cli/cp_place.hpp"
#include "cli/ssh_command.hpp"

namespace adoc::cli {

struct Bringing {
  const SshOptions& ssh;
  const Place& place;
  std::chrono::milliseconds patience;  ///< for what the other side says; 0: no limit
  int standard_error = -1;             ///< of ssh; -1: the same as ours
};

/// Copies this very version of adoc-cp, as a static build where one is installed, to the cache
/// directory of the user over there, unless it is there, and has its SHA-256 checked there before
/// anything runs it. Gives what to run. Throws Error(connect) for a machine of another kind, where
/// the copy fails, and where the other side is silent for too long.
[[nodiscard]] std::string bring_program(const Bringing& bringing);

}  // namespace adoc::cli
