#pragma once

#include "control/policy.hpp"

namespace adoc {

struct LevelRange {
  int min = 0;
  int max = 0;
};

/// The law of Jeannot 2002, Fig. 2: slow-start increase while the FIFO grows and is longer than 10
/// packets, halving when it shrinks, no change when it stays. With the range 0..9 it is the paper's
/// to the letter; a range only cuts off what lies outside.
class AdocPolicy final : public Policy {
 public:
  /// Section 3.4: keeps a fast network from being taken for a slow one.
  static constexpr std::size_t kThresholdPackets = 10;

  explicit AdocPolicy(LevelRange range) noexcept : range_(range) {}

  [[nodiscard]] int first_level() const noexcept override { return range_.min; }
  [[nodiscard]] Choice next(const Observation& seen) override;

 private:
  LevelRange range_;
};

}  // namespace adoc
