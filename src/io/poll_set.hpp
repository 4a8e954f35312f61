#pragma once

#include <poll.h>

#include <algorithm>
#include <vector>

#include "util/clock.hpp"

namespace adoc {

/// What one thread waits for, anew for each wait: several parties add what they wait for, and look
/// afterwards what came of it.
class PollSet {
 public:
  void clear() noexcept {
    polled_.clear();
    until_ = Clock::time_point::max();
  }
  /// `events` are poll's; gives the number to ask happened() for.
  std::size_t add(int fd, short events) {
    polled_.push_back({fd, events, 0});
    return polled_.size() - 1;
  }
  /// The wait ends then, if it has not before.
  void wake_at(Clock::time_point time) noexcept { until_ = std::min(until_, time); }

  /// Until something happens, it is time, or a signal came. Throws Error(internal).
  void wait();

  /// What poll() says of it; 0: nothing.
  [[nodiscard]] short happened(std::size_t number) const noexcept {
    return polled_[number].revents;
  }

 private:
  std::vector<pollfd> polled_;
  Clock::time_point until_ = Clock::time_point::max();
};

}  // namespace adoc
