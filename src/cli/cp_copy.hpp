#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "cli/cp_options.hpp"
#include "cli/status_line.hpp"
#include "cli/transfer_summary.hpp"

namespace adoc::cli {

/// Sources of one machine that go to one destination, and what tells the user of it.
struct CopySetup {
  const CpCommand& command;
  std::vector<Place> sources;  ///< all of one machine
  bool several = false;        ///< with those of other machines: the destination is a directory
  StatusLine& status;
  int standard_error = -1;  ///< of ssh; -1: the same as ours
  std::stop_token stop{};
  TransferSummary* summary = nullptr;  ///< of a copy whose sending end is here; may be null
};

// Each gives an exit code and throws Error where the copy does not go to its end.

/// From this machine to another.
[[nodiscard]] int push(const CopySetup& setup);
/// From another machine to this one.
[[nodiscard]] int pull(const CopySetup& setup);
/// From another machine to another: directly where they reach each other.
[[nodiscard]] int pass(const CopySetup& setup);

}  // namespace adoc::cli
