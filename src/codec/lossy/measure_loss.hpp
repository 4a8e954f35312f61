#pragma once

#include <cstddef>
#include <span>

#include "adoc/lossy.hpp"

namespace adoc {

/// What `left` is off by, number by number, from `numbers`, which has the same size, a multiple of
/// that of a number. Sums are made in one order, so that every machine gets the same. No
/// allocation, any thread.
[[nodiscard]] LossyFigures measure_loss(ItemType type, std::span<const std::byte> numbers,
                                        std::span<const std::byte> left) noexcept;

}  // namespace adoc
