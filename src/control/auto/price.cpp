#include "control/auto/price.hpp"

#include <limits>

namespace adoc {

Prices balance(std::span<const Demand> levels, double backlog) {
  // As the processors' price rises, lighter levels are chosen: the mixture is where they stop being
  // what takes longer.
  constexpr int kHalvings = 16;
  double low = 0;
  double high = 1;
  double cost = 0;
  double middle = 0.5;
  for (int i = 0; i < kHalvings; ++i) {
    middle = (low + high) / 2;
    cost = std::numeric_limits<double>::infinity();
    const Demand* cheapest = nullptr;
    for (const Demand& level : levels) {
      const double its = middle * level.processors + (1 - middle) * level.channel;
      if (its >= cost) continue;
      cost = its;
      cheapest = &level;
    }
    (cheapest->processors > cheapest->channel + backlog ? low : high) = middle;
  }
  return {.processors = middle, .channel = 1 - middle, .cost = cost + (1 - middle) * backlog};
}

}  // namespace adoc
