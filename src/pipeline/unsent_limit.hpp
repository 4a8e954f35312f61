#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace adoc {

/// How much the system may take before it sends it, so that it never hides more of the queue than
/// the link carries in a fiftieth of a second, and yet always has something to send. Follows the
/// rate at which bytes are taken. No clock, no threads.
class UnsentLimit {
 public:
  /// `bytes` went in `busy_ns`, in which there was always something to send. Gives the limit when
  /// it is to be changed.
  [[nodiscard]] std::optional<std::size_t> sent(std::size_t bytes, std::int64_t busy_ns) noexcept {
    bytes_ += bytes;
    busy_ns_ += busy_ns;
    if (busy_ns_ < kIntervalNs) return std::nullopt;
    const double rate = static_cast<double>(bytes_) / static_cast<double>(busy_ns_) * 1e9;
    bytes_ = 0;
    busy_ns_ = 0;
    const std::size_t wanted =
        static_cast<std::size_t>(std::clamp(rate * kSeconds, double{kLeast}, double{kMost}));
    // A system call for each small change would cost more than it gives.
    if (wanted < 2 * limit_ && limit_ < 2 * wanted) return std::nullopt;
    return limit_ = wanted;
  }

 private:
  static constexpr std::size_t kLeast = 32 << 10;
  static constexpr std::size_t kMost = 2 << 20;
  static constexpr double kSeconds = 0.02;
  static constexpr std::int64_t kIntervalNs = 20'000'000;

  std::size_t limit_ = 1;  ///< unknown: the first is always told
  std::size_t bytes_ = 0;
  std::int64_t busy_ns_ = 0;
};

}  // namespace adoc
