#include "codec/lossy/round_to_snr.hpp"

#include <algorithm>
#include <cmath>

#include "codec/lossy/measure_loss.hpp"
#include "codec/lossy/round_numbers.hpp"

namespace adoc {

void round_to_snr(ItemType type, double db, std::span<const std::byte> numbers,
                  std::span<std::byte> rounded) noexcept {
  const LossyFigures all = measure_loss(type, numbers, numbers);
  const double allowed = all.squares / std::pow(10, db / 10);
  if (!std::isnormal(allowed)) {
    std::ranges::copy(numbers, rounded.begin());
    return;
  }
  const auto fits = [&](int step) {
    round_to_step(type, step, numbers, rounded);
    return measure_loss(type, numbers, rounded).error_squares <= allowed;
  };
  // With half a step off every number is off by so much.
  int step = std::ilogb(2 * std::sqrt(allowed / static_cast<double>(all.numbers)));
  const int most = std::ilogb(std::sqrt(all.squares)) + 2;
  while (step < most && fits(step + 1)) ++step;
  round_to_step(type, step, numbers, rounded);
}

}  // namespace adoc
