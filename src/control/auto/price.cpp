#include "control/auto/price.hpp"

#include <cstddef>

namespace adoc {
namespace {

/// The choice of a level of the mixture: a line over the price of processors.
struct Line {
  Line(const Demand& level, double backlog)
      : slope(level.processors - level.channel - backlog), at_0(level.channel + backlog) {}
  [[nodiscard]] double at(double price) const { return at_0 + price * slope; }

  double slope;
  double at_0;
};

}  // namespace

// At each price the mixture costs what the lowest line does. That rises and then falls, so its
// highest point is where a rising and a falling line meet and no third one is lower.
Prices balance(std::span<const Demand> levels, double backlog) {
  const auto cheapest = [&](double price) {
    Line least(levels.front(), backlog);
    for (const Demand& level : levels.subspan(1))
      if (const Line its(level, backlog); its.at(price) < least.at(price)) least = its;
    return least;
  };
  Line rising = cheapest(0);
  if (rising.slope <= 0) return {.processors = 0, .channel = 1, .cost = rising.at(0)};
  Line falling = cheapest(1);
  if (falling.slope >= 0) return {.processors = 1, .channel = 0, .cost = falling.at(1)};
  for (std::size_t left = levels.size();; --left) {
    const double price = (falling.at_0 - rising.at_0) / (rising.slope - falling.slope);
    const Line between = cheapest(price);
    if (left == 0 || between.at(price) >= rising.at(price) * (1 - 1e-9))
      return {.processors = price, .channel = 1 - price, .cost = rising.at(price)};
    (between.slope > 0 ? rising : falling) = between;
  }
}

}  // namespace adoc
