#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace adoc {

/// How long the compression thread may wait for the communication thread before it reads the next
/// packet at level 0.
///
/// The paper's law takes a FIFO that grows for a slow link. That held where reading a file was
/// slower than sending it; today the page cache outruns any link, so the FIFO grows on every one,
/// and on the fastest ones the law would compress at a fraction of their rate. What makes a link
/// slow is that level 1 could compress a packet in the time that the link takes for one. So each
/// packet sent raw earns the time that level 1 would have needed for it, and waiting for the FIFO
/// to get shorter spends it. On a fast link the earnings are never used up and the FIFO stays
/// short; on a slow one they are, after a few packets, and the law sees the FIFO grow.
///
/// Times are in seconds. No clock, no threads.
class RawPatience {
 public:
  /// A block of this many bytes was compressed at level 1.
  void compressed(double seconds, std::size_t raw_bytes) noexcept {
    // The quickest block counts: a slower one was held up by something else.
    seconds_per_byte_ = std::min(seconds_per_byte_, seconds / static_cast<double>(raw_bytes));
  }

  /// A packet of this many bytes is about to be read; gives what may be waited before. Nothing
  /// until the speed of level 1 is known.
  [[nodiscard]] double earn(std::size_t packet_bytes) noexcept {
    if (seconds_per_byte_ == kUnknown) return 0;
    const double earned = seconds_per_byte_ * static_cast<double>(packet_bytes);
    saved_ = std::min(saved_ + earned, kMostPackets * earned);
    return saved_;
  }

  void spend(double seconds) noexcept { saved_ -= seconds; }

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  /// What may be saved: enough to sit out a time slice that other threads take.
  static constexpr double kMostPackets = 64;

  double seconds_per_byte_ = kUnknown;
  double saved_ = 0;
};

}  // namespace adoc
