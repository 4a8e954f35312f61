#pragma once

#include <time.h>

#include <chrono>

namespace adoc {

using Clock = std::chrono::steady_clock;

/// Seconds since `start`.
[[nodiscard]] inline double seconds_since(Clock::time_point start) noexcept {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds that the calling thread has had a processor for.
[[nodiscard]] inline double thread_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace adoc
