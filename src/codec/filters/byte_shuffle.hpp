#pragma once

#include <cstddef>
#include <span>

namespace adoc {

/// Byte shuffle, as in HDF5 and Blosc: the first bytes of all items, then their second bytes, and
/// so on. Bytes of the same weight of numbers are more alike than neighbours are.
///
/// `item_bytes` is 2, 4 or 8; `items` and `planes` have the same size, a multiple of it, and do not
/// overlap. No allocation, any thread.
void byte_shuffle(std::size_t item_bytes, std::span<const std::byte> items,
                  std::span<std::byte> planes) noexcept;

/// The inverse.
void byte_unshuffle(std::size_t item_bytes, std::span<const std::byte> planes,
                    std::span<std::byte> items) noexcept;

}  // namespace adoc
