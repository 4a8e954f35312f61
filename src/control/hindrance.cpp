#include "control/hindrance.hpp"

#include <algorithm>
#include <cmath>

namespace adoc {
namespace {

/// The average is of so long.
constexpr double kLatelySeconds = 0.2;
/// Before anything is known, and after a while in which nothing was compressed, nothing hinders, by
/// the weight of this.
constexpr double kUnhinderedSeconds = 2e-3;

}  // namespace

double Hindrance::own(double wall, double processor) noexcept {
  return processor * std::pow(std::clamp(wall / processor, 1.0, 1 / kServedShare), 1 - kOthers);
}

double Hindrance::own_seconds(const BlockResult& block) noexcept {
  if (block.processor_seconds <= 0) return block.compress_seconds;
  return own(block.compress_seconds, block.processor_seconds);
}

void Hindrance::follow(double seconds, const BlockResult& block) noexcept {
  const double kept = std::exp((seconds_ - seconds) / kLatelySeconds);
  seconds_ = seconds;
  for (double* sum : {&wall_, &processor_}) *sum *= kept;
  if (block.processor_seconds > 0) {
    wall_ += block.compress_seconds;
    processor_ += block.processor_seconds;
  }
  const double wall = wall_ + kUnhinderedSeconds;
  const double processor = processor_ + kUnhinderedSeconds;
  hinders_ = processor <= kServedShare * wall;
  slower_ = own(wall, processor) / processor;
  factor_ = std::max(1.0, wall / own(wall, processor));
}

}  // namespace adoc
