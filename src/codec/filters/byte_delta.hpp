#pragma once

#include <cstddef>
#include <span>

namespace adoc {

/// The differences of neighbouring bytes, modulo 256, the first to 0: after a byte shuffle within
/// each plane ("bytedelta" of Blosc2). What rises slowly becomes small numbers.
///
/// `from` and `to` have the same size and do not overlap. No allocation, any thread.
void byte_delta(std::span<const std::byte> from, std::span<std::byte> to) noexcept;

/// The inverse, in place: sums.
void byte_sum(std::span<std::byte> bytes) noexcept;

}  // namespace adoc
