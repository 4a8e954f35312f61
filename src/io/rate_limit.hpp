#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "util/clock.hpp"

namespace adoc {

/// A token bucket: how much may be written now so that a rate is kept, and when more. It takes the
/// time as it is told, waits for nothing and has one user.
///
/// What was not used is made up for within a fiftieth of a second and forgotten after that: a
/// thread that woke late keeps the rate, one that had nothing to write earns no burst.
class RateLimit {
 public:
  /// From 1 byte a second.
  RateLimit(std::uint64_t bytes_per_second, Clock::time_point now) noexcept
      : rate_(static_cast<double>(bytes_per_second)),
        portion_(portion_of(rate_)),
        depth_(std::max(rate_ * kMadeUpForSeconds, portion_ * kPortionsMadeUpFor)),
        credit_(depth_),
        at_(now) {}

  /// How many of `wanted` bytes, 1 at least, may go now; none, rather than a few at a time, before
  /// next(wanted).
  [[nodiscard]] std::size_t allowed(std::size_t wanted, Clock::time_point now) noexcept {
    const double earned = std::chrono::duration<double>(now - at_).count() * rate_;
    credit_ = std::min(credit_ + earned, depth_);
    at_ = now;
    if (credit_ < needed(wanted)) return 0;
    return std::min(wanted, static_cast<std::size_t>(credit_));
  }

  /// When some of them may go.
  [[nodiscard]] Clock::time_point next(std::size_t wanted) const noexcept {
    const std::chrono::duration<double> missing((needed(wanted) - credit_) / rate_);
    return at_ + std::chrono::ceil<Clock::duration>(missing);
  }

  /// So many went, which may be more than were allowed: they are paid for later.
  void took(std::size_t bytes) noexcept { credit_ -= static_cast<double>(bytes); }

 private:
  static constexpr double kMadeUpForSeconds = 0.02;
  static constexpr double kPortionSeconds = 0.005;
  static constexpr double kSegmentSeconds = 0.01;
  static constexpr double kPortionsMadeUpFor = 1.25;  ///< where one takes longer than all of that
  /// Less at a time would cost more in headers than it is worth.
  static constexpr double kFullSegmentBytes = 1'448;
  static constexpr double kLeastSegmentBytes = 256;

  static double portion_of(double rate) noexcept {
    const double segment =
        std::clamp(rate * kSegmentSeconds, kLeastSegmentBytes, kFullSegmentBytes);
    // Something moves four times a second at any rate: a peer that waits must see that.
    return std::max(1.0, std::max(std::min(segment, rate / 4), rate * kPortionSeconds));
  }
  [[nodiscard]] double needed(std::size_t wanted) const noexcept {
    return std::min(portion_, static_cast<double>(wanted));
  }

  double rate_;
  double portion_;  ///< so much at least goes at a time
  double depth_;    ///< so much at most
  double credit_;
  Clock::time_point at_;
};

}  // namespace adoc
