#pragma once

#include <map>
#include <string>
#include <vector>

#include "fault/plan.hpp"

namespace adoc::fault {

struct Programs {
  std::string send;
  std::string recv;
  std::string fault_files;                  ///< the library for LD_PRELOAD
  std::chrono::milliseconds limit{20'000};  ///< a program that takes longer hangs
};

/// How a plan went.
struct Outcome {
  std::vector<std::string> violations{};  ///< of what must hold whatever goes wrong
  std::string send_ended{};               ///< "0", "3", "SIGKILL", ...
  std::string recv_ended{};
  std::size_t link_faults_struck = 0;
  std::vector<std::string> calls_struck{};  ///< "send pread@3"
};

/// Does the transfer, then does it again without faults, in this directory, which is to be empty
/// and holds the remains afterwards.
[[nodiscard]] Outcome run_trial(const Plan& plan, const Programs& programs,
                                const std::string& directory);

}  // namespace adoc::fault
