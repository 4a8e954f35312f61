#pragma once

#include <cstddef>
#include <span>

namespace adoc {

/// Takes each 8 bytes as a matrix of 8 by 8 bits and transposes it, in place: byte i becomes bit i
/// of all 8, lowest bit first. It is its own inverse. Between byte shuffles it makes a bit shuffle
/// (Masui et al. 2015). `bytes` has a multiple of 8. No allocation, any thread.
void transpose_bits(std::span<std::byte> bytes) noexcept;

}  // namespace adoc
