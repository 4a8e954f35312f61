#include "control/contention.hpp"

#include <algorithm>
#include <cmath>

#include "control/auto/params.hpp"

namespace adoc {

using namespace params;

Contention::Contention(double factor) : factor_(factor), wall_((factor - 1) * kWakeSeconds) {}

void Contention::follow(double seconds, const BlockResult& block) noexcept {
  const double decay = std::exp((seconds_ - seconds) / kWindowSeconds);
  seconds_ = seconds;
  wall_ = wall_ * decay + block.compress_seconds;
  processor_ = processor_ * decay + block.processor_seconds;
  factor_ = std::max(1.0, (wall_ + kWakeSeconds) / (processor_ + kWakeSeconds));
}

}  // namespace adoc
