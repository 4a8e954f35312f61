#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "adoc/observer.hpp"

namespace adoc::cli {

/// How fast a transfer is now: over the last few seconds, so that it shows a change of the link
/// without flickering.
class RateMeter {
 public:
  using Clock = std::chrono::steady_clock;

  /// Figures that fall (the receiver sums up the transfers under way) begin a new measurement.
  void add(const Progress& progress, Clock::time_point now);

  [[nodiscard]] double raw_bytes_per_second() const;
  [[nodiscard]] double wire_bytes_per_second() const;

 private:
  struct Sample {
    Clock::time_point time;
    std::uint64_t raw_bytes;
    std::uint64_t wire_bytes;
  };

  [[nodiscard]] double per_second(std::uint64_t Sample::*bytes) const;

  std::deque<Sample> samples_;
};

}  // namespace adoc::cli
