#pragma once

#include <cstddef>
#include <span>

namespace adoc {

/// The differences of neighbouring bytes, modulo 256, the first to 0, in place: after a byte
/// shuffle within each plane ("bytedelta" of Blosc2). What rises slowly becomes small numbers. No
/// allocation, any thread.
void byte_delta(std::span<std::byte> bytes) noexcept;

/// The inverse, in place: sums.
void byte_sum(std::span<std::byte> bytes) noexcept;

}  // namespace adoc
