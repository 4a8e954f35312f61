#pragma once

#include <deque>

#include "control/policy.hpp"

namespace adoc {

/// The rate of the link in bytes a second, followed over a sliding window.
///
/// Only a link that always has something to send shows its rate. Between two moments it surely had
/// when less has left this machine by the second than was there to be sent at the first. Otherwise
/// it may be any faster than thought, so the longer it waits, the faster it is thought to be, until
/// it has to send again. What counts as sent is what has arrived, since buffers on the way take
/// their part at any rate; and of the time since the link began to send, only the later half, since
/// a shaper lets some pass as well.
class LinkRate {
 public:
  /// Before anything is known: high enough that compressing fast keeps up with it, low enough that
  /// it is worth while.
  static constexpr double kFirstRate = 150e6;

  void see(const LinkState& link);

  [[nodiscard]] double bytes_per_second() const noexcept { return rate_; }
  /// Whether it was ever measured, and is not just the first guess.
  [[nodiscard]] bool known() const noexcept { return known_; }
  /// For how long nothing has arrived although something is on the way.
  [[nodiscard]] double stuck_seconds() const noexcept { return stuck_seconds_; }

 private:
  struct Sample {
    double seconds = 0;
    double sent = 0;
    double arrived = 0;
    double given = 0;   ///< sent, and to be sent by the system
    double ready = 0;   ///< sent, and to be sent as soon as the link takes it
    bool busy = false;  ///< the link surely was, since the sample before
  };
  void measure();
  void grow();

  std::deque<Sample> samples_;
  double rate_ = kFirstRate;
  bool known_ = false;
  double stuck_seconds_ = 0;
  double measured_seconds_ = 0;  ///< in which it was
};

}  // namespace adoc
