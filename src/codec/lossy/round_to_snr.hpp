#pragma once

#include <cstddef>
#include <span>

#include "adoc/lossy.hpp"

namespace adoc {

/// round_to_step() by the largest step for which the sum of squares is at least `db` above that of
/// the errors, of all numbers that are finite; in steps of a power of two upwards from one that is
/// small enough in any case, as long as that is so. Nothing is rounded when squares do not fit in a
/// double. Spans as there. No allocation, any thread.
void round_to_snr(ItemType type, double db, std::span<const std::byte> numbers,
                  std::span<std::byte> rounded) noexcept;

}  // namespace adoc
