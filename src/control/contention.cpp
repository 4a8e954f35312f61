#include "control/contention.hpp"

#include <algorithm>
#include <cmath>

#include "control/auto/params.hpp"

namespace adoc {

using namespace params;

double Contention::own(double wall, double processor) noexcept {
  return processor *
         std::pow(std::clamp(wall / processor, 1.0, 1 / kServedShare), 1 - kOthersShare);
}

double Contention::own_seconds(const BlockResult& block) noexcept {
  if (block.processor_seconds <= 0) return block.compress_seconds;
  return own(block.compress_seconds, block.processor_seconds);
}

void Contention::follow(double seconds, const BlockResult& block) noexcept {
  const double decay = std::exp((seconds_ - seconds) / kWindowSeconds);
  seconds_ = seconds;
  wall_ = wall_ * decay + block.compress_seconds;
  processor_ = processor_ * decay + block.processor_seconds;
  const double wall = wall_ + kWakeSeconds;
  const double processor = processor_ + kWakeSeconds;
  paused_ = processor <= kServedShare * wall;
  processor_factor_ = own(wall, processor) / processor;
  factor_ = std::max(1.0, wall / own(wall, processor));
}

}  // namespace adoc
