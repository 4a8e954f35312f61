#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace adoc {

/// When to connect again after a connection was lost: soon at first, then less and less often, and
/// not for ever. Each wait is up to a quarter longer or shorter than its turn, so that many senders
/// of one receiver do not come back at the same moment.
class Backoff {
 public:
  static constexpr std::chrono::milliseconds kFirst{200};
  static constexpr std::chrono::milliseconds kLongest{10'000};

  /// `attempts` that may fail one after the other; `seed` decides on the waits.
  Backoff(unsigned attempts, std::uint64_t seed) noexcept : attempts_(attempts), random_(seed) {}

  /// How long to wait before the next attempt; none when all were in vain.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next() noexcept;
  /// Something was got across: what failed before does not count any more.
  void reset() noexcept { made_ = 0; }

  /// That next() has allowed since the last reset().
  [[nodiscard]] unsigned attempt() const noexcept { return made_; }
  [[nodiscard]] unsigned attempts() const noexcept { return attempts_; }

 private:
  unsigned attempts_;
  unsigned made_ = 0;
  std::uint64_t random_;
};

}  // namespace adoc
