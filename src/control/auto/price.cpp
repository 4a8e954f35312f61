#include "control/auto/price.hpp"

#include <algorithm>
#include <cstddef>

namespace adoc {

// What a level costs is a line over the price of processors. At each price the mixture costs what
// the lowest line does. That rises and then falls, so its highest point is where a rising and a
// falling line meet and no third one is lower.
Prices balance(std::span<const Demand> levels, double backlog) {
  const auto cost = [&](const Demand& level, double price) {
    return price * level.processors + (1 - price) * (level.channel + backlog);
  };
  const auto slope = [&](const Demand& its) { return its.processors - its.channel - backlog; };
  const auto cheapest = [&](double price) {
    return *std::ranges::min_element(levels, {},
                                     [&](const Demand& level) { return cost(level, price); });
  };
  Demand rising = cheapest(0);
  if (slope(rising) <= 0) return {.processors = 0, .channel = 1, .cost = cost(rising, 0)};
  Demand falling = cheapest(1);
  if (slope(falling) >= 0) return {.processors = 1, .channel = 0, .cost = cost(falling, 1)};
  for (std::size_t left = levels.size();; --left) {
    const double price = (cost(falling, 0) - cost(rising, 0)) / (slope(rising) - slope(falling));
    const Demand between = cheapest(price);
    const double least = cost(rising, price);
    if (left == 0 || cost(between, price) >= least * (1 - 1e-9))
      return {.processors = price, .channel = 1 - price, .cost = least};
    (slope(between) > 0 ? rising : falling) = between;
  }
}

}  // namespace adoc
