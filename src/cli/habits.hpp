#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace adoc::cli {

/// An option of another program that people have in their fingers.
struct Habit {
  std::vector<std::string_view> options;  ///< "-r", "--recursive"
  std::string_view answer;                ///< what is the case here
};

/// Those of scp, rsync and cp.
[[nodiscard]] std::span<const Habit> send_habits();
[[nodiscard]] std::span<const Habit> recv_habits();
[[nodiscard]] std::span<const Habit> cp_habits();

}  // namespace adoc::cli
