#include "control/hindrance.hpp"

#include <algorithm>
#include <cmath>

namespace adoc {
namespace {

/// A thread that has a processor for less than this part of the time is not just one of a few more
/// than there are processors.
constexpr double kServedShare = 0.3;

/// The average is of so long.
constexpr double kLatelySeconds = 0.2;
/// Before anything is known, and after a while in which nothing was compressed, nothing hinders, by
/// the weight of this.
constexpr double kUnhinderedSeconds = 2e-3;

}  // namespace

double Hindrance::own_seconds(const BlockResult& block) noexcept {
  if (block.processor_seconds <= 0) return block.compress_seconds;
  return std::min(block.compress_seconds, block.processor_seconds / kServedShare);
}

void Hindrance::follow(double seconds, const BlockResult& block) noexcept {
  const double kept = std::exp((seconds_ - seconds) / kLatelySeconds);
  seconds_ = seconds;
  for (double* sum : {&wall_, &processor_, &own_}) *sum *= kept;
  if (block.processor_seconds > 0) {
    wall_ += block.compress_seconds;
    processor_ += block.processor_seconds;
    own_ += own_seconds(block);
  }
  const double wall = wall_ + kUnhinderedSeconds;
  const bool served = processor_ + kUnhinderedSeconds > kServedShare * wall;
  factor_ = served ? 1 : std::max(1.0, wall / (own_ + kUnhinderedSeconds));
}

}  // namespace adoc
