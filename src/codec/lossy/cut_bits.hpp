#pragma once

#include <cstddef>
#include <span>

#include "adoc/lossy.hpp"

namespace adoc {

/// The most bits that can be cut: of a float those of its fraction, of an integer all but one.
[[nodiscard]] unsigned most_bits_to_cut(ItemType type) noexcept;

/// LSB-cut (Niwa 2022): the low `bits`, 1 .. most_bits_to_cut(), become the middle of what they may
/// have been, 10...0. Of an integer that is zero and a float that is not normal they stay.
///
/// `numbers` and `cut` have the same size, a multiple of that of a number, and do not overlap. No
/// allocation, any thread.
void cut_bits(ItemType type, unsigned bits, std::span<const std::byte> numbers,
              std::span<std::byte> cut) noexcept;

}  // namespace adoc
