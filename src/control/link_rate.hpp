#pragma once

#include <deque>

#include "control/policy.hpp"

namespace adoc {

/// The rate of the link in bytes a second, followed over a sliding window.
///
/// Only a link that always has something to send shows its rate. One that waits for the compression
/// takes at once what it is given, as far as the system's own buffer goes; it may be any faster
/// than thought, so the longer it waits, the faster it is thought to be, until it has to send
/// again.
class LinkRate {
 public:
  /// What the system holds unsent (TCP_NOTSENT_LOWAT): it is taken at any speed.
  static constexpr double kSystemBytes = 128 << 10;
  /// Before anything is known.
  static constexpr double kFirstRate = 1e9;

  void see(const LinkState& link);

  [[nodiscard]] double bytes_per_second() const noexcept { return rate_; }
  /// Whether it was ever measured, and is not just the first guess.
  [[nodiscard]] bool known() const noexcept { return known_; }

 private:
  struct Sample {
    double seconds = 0;
    double sent = 0;
    double sending = 0;
    double surely_sent = 0;  ///< by the link, not only taken into the system's buffer
    bool busy = false;       ///< the queue was hardly empty before it: the system's buffer was full
  };
  void follow(const Sample& now);

  std::deque<Sample> samples_;
  double rate_ = kFirstRate;
  bool known_ = false;
};

}  // namespace adoc
