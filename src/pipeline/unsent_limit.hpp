#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace adoc {

/// How much the system may take before it sends it, so that it never hides more of the queue than
/// the link carries in a fiftieth of a second, and yet always has something to send. Follows the
/// rate at which bytes arrive: what buffers on the way take says nothing of the link. No clock, no
/// threads.
class UnsentLimit {
 public:
  /// There was something to send for so long. Tells whether it is time to look at what has arrived.
  [[nodiscard]] bool passed(std::int64_t busy_ns) noexcept {
    busy_ns_ += busy_ns;
    return busy_ns_ >= kIntervalNs;
  }

  /// So much has arrived in all. Gives the limit when it is to be changed.
  [[nodiscard]] std::optional<std::size_t> arrived(std::uint64_t bytes) noexcept {
    const double rate = static_cast<double>(bytes - bytes_) / static_cast<double>(busy_ns_) * 1e9;
    bytes_ = bytes;
    busy_ns_ = 0;
    const std::size_t wanted =
        static_cast<std::size_t>(std::clamp(rate * kSeconds, double{kLeast}, double{kMost}));
    // A system call for each small change would cost more than it gives.
    if (wanted < 2 * limit_ && limit_ < 2 * wanted) return std::nullopt;
    return limit_ = wanted;
  }

 private:
  static constexpr std::size_t kLeast = 32 << 10;
  static constexpr std::size_t kMost = 256 << 10;
  static constexpr double kSeconds = 0.02;
  static constexpr std::int64_t kIntervalNs = 20'000'000;

  std::size_t limit_ = 1;  ///< unknown: the first is always told
  std::uint64_t bytes_ = 0;
  std::int64_t busy_ns_ = 0;
};

}  // namespace adoc
