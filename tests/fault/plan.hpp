#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fault/tree.hpp"
#include "support/fault_link.hpp"

namespace adoc::fault {

/// What LinkFault::Kind::call does; the link stands still while a process does.
enum Deed { kKillSender, kKillReceiver, kStopSender, kStopReceiver };

/// One transfer and what goes wrong in it. Follows from the seed alone.
struct Plan {
  enum class Source { directory, contents, standard_input };

  std::uint64_t seed = 0;
  Source source = Source::directory;
  Tree tree{};
  Tree before{};  ///< what the destination holds of it
  std::vector<std::string> send_options{};
  std::vector<std::string> recv_options{};
  bool once = true;            ///< the receiver ends after one transfer
  bool encrypted = false;      ///< else in plain text
  bool keep_existing = false;  ///< --no-overwrite
  testkit::LinkPlan link{};
  std::string send_faults{};  ///< for ADOC_FAULT_FILES
  std::string recv_faults{};
  unsigned rounds = 1;   ///< the transfer is tried so often with these faults
  bool damages = false;  ///< what it left unfinished is damaged before the retry
  bool harmless = true;  ///< the transfer is to succeed all the same

  /// One fact a line.
  [[nodiscard]] std::string describe() const;
};

/// `canary` is a path that links in the tree may lead to and nothing may be written to.
[[nodiscard]] Plan make_plan(std::uint64_t seed, const std::string& canary);

}  // namespace adoc::fault
