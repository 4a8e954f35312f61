#pragma once

#include <chrono>

namespace adoc {

using Clock = std::chrono::steady_clock;

/// Seconds since `start`.
[[nodiscard]] inline double seconds_since(Clock::time_point start) noexcept {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace adoc
