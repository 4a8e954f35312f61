#pragma once

#include <cstddef>
#include <span>

#include "adoc/lossy.hpp"

namespace adoc {

/// Rounds each number to the nearest multiple of 2^`step`, ties away from zero. What is zero, is a
/// float that is not normal, would become infinite or would not fit stays as it is, and so does
/// what is a multiple already: every float of which that is less than a unit in the last place, and
/// every integer with a step of 0 or less. All with integers: every machine gets the same bits.
///
/// `numbers` and `rounded` have the same size, a multiple of that of a number, and do not overlap.
/// No allocation, any thread.
void round_to_step(ItemType type, int step, std::span<const std::byte> numbers,
                   std::span<std::byte> rounded) noexcept;

/// The same, with the step of each number 2^(`step` + e) where it has the magnitude 2^e to 2^(e+1);
/// `step` is at most 0. So none is off by more than 2^(`step` - 1) times itself.
void round_relative(ItemType type, int step, std::span<const std::byte> numbers,
                    std::span<std::byte> rounded) noexcept;

}  // namespace adoc
