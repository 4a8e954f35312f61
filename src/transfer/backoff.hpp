#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "util/clock.hpp"

namespace adoc {

/// When to connect again while there is no connection: soon at first, then less and less often, and
/// not for ever. Each wait is up to a quarter longer or shorter than its turn, so that many senders
/// of one receiver do not come back at the same moment.
class Backoff {
 public:
  static constexpr std::chrono::milliseconds kFirst{200};
  static constexpr std::chrono::milliseconds kLongest{10'000};

  /// `budget` is the time without a connection that may pass, 0: none; `seed` decides on the waits.
  Backoff(std::chrono::milliseconds budget, std::uint64_t seed) noexcept
      : budget_(budget), random_(seed) {}

  /// How long to wait before the next attempt, which is made while there is time; none when the
  /// time is over. There is no connection since the first call after one. No wait's turn is longer
  /// than `longest`.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next(
      Clock::time_point now, std::chrono::milliseconds longest = kLongest) noexcept;
  /// There was a connection since then: time does not count until next() is called.
  void connected(Clock::time_point since) noexcept;
  /// Something was got across: what failed before does not count any more.
  void reset() noexcept;

  /// That next() has allowed since the last reset().
  [[nodiscard]] unsigned attempt() const noexcept { return made_; }
  [[nodiscard]] std::chrono::milliseconds budget() const noexcept { return budget_; }
  /// Of the budget; never negative.
  [[nodiscard]] std::chrono::milliseconds left(Clock::time_point now) const noexcept;

 private:
  std::chrono::milliseconds budget_;
  Clock::duration spent_{0};                  ///< before since_
  std::optional<Clock::time_point> since_{};  ///< when the connection was missed first
  unsigned made_ = 0;
  std::uint64_t random_;
};

}  // namespace adoc
