#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "util/clock.hpp"

namespace adoc {

/// Whether a block keeps the link waiting so much that it is better cut. A long one at a dense
/// level is right for a slow link, and wrong for one that got faster or was never as slow as
/// thought. One that is made about as fast as the link sends it lets that wait now and then, since
/// its packets come several at once; that is no reason: it was chosen for what it shrinks.
class Starving {
 public:
  /// With each packet, before it is there to be sent: for how long the link has had nothing, or 0
  /// if it has something now. Only the system knows when that began that it was given all at once,
  /// so it is rather too long.
  void follow(Clock::time_point now, double dry_seconds) {
    // What passed before the first packet was foreseen.
    const double elapsed = at_ ? std::chrono::duration<double>(now - *at_).count() : 0;
    at_ = now;
    dry_ = std::min(dry_seconds, elapsed);
    const double left = std::exp(-elapsed / kLatelySeconds);
    lately_ = lately_ * left + elapsed;
    dry_lately_ = dry_lately_ * left + dry_;
  }

  [[nodiscard]] bool starves() const noexcept {
    return dry_ >= kDrySeconds && dry_lately_ > kDryShare * lately_;
  }

 private:
  static constexpr double kDrySeconds = 0.01;  ///< at a time
  static constexpr double kDryShare = 0.7;     ///< of the time lately, which is halved in 70 ms
  static constexpr double kLatelySeconds = 0.1;

  std::optional<Clock::time_point> at_{};
  double dry_ = 0;
  double dry_lately_ = 0;
  double lately_ = 0;
};

}  // namespace adoc
