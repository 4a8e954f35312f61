#pragma once

#include <algorithm>
#include <chrono>

#include "util/clock.hpp"

namespace adoc {

/// How long a peer has been silent, in a loop of waits that are short. Where the next look comes
/// much later than it was to, the process stood still, by Ctrl-Z or with its machine: it did not
/// listen, and begins to count anew.
class Silence {
 public:
  /// 0: for ever.
  explicit Silence(Clock::duration limit, Clock::time_point now = Clock::now()) noexcept
      : limit_(limit), looked_(now), until_(now + limit) {}

  /// To be looked at before each wait.
  [[nodiscard]] bool is_over(Clock::time_point now) noexcept {
    if (now - looked_ > kStep + kStoodStill) until_ = now + limit_;
    looked_ = now;
    return limit_.count() != 0 && now >= until_;
  }
  /// What the wait may take.
  [[nodiscard]] Clock::duration wait() const noexcept {
    return limit_.count() == 0 ? kStep : std::min(kStep, until_ - looked_);
  }

 private:
  static constexpr Clock::duration kStep = std::chrono::seconds(1);
  /// More than a busy machine lets a thread wait for its turn.
  static constexpr Clock::duration kStoodStill = std::chrono::seconds(1);

  Clock::duration limit_;
  Clock::time_point looked_;
  Clock::time_point until_;
};

}  // namespace adoc
