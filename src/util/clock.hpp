#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace adoc {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline std::int64_t clock_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

/// Seconds since `start`.
[[nodiscard]] inline double seconds_since(Clock::time_point start) noexcept {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// For poll(), whose time is an int: not too soon, and a day at most, after which who has more
/// waits again.
[[nodiscard]] inline int poll_ms(Clock::duration left) noexcept {
  using std::chrono::milliseconds;
  const auto most = std::chrono::duration_cast<Clock::duration>(std::chrono::hours(24));
  const auto within = std::clamp(left, Clock::duration::zero(), most);
  return static_cast<int>(std::chrono::ceil<milliseconds>(within).count());
}

/// Seconds that the calling thread has had a processor for.
[[nodiscard]] inline double thread_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace adoc
