#pragma once

#include <cstddef>
#include <span>

#include "adoc/lossy.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// Bytes whose numbers are looked at together: those of one, or a window. 1, 2, 4, 8 or
/// kSnrWindowBytes.
[[nodiscard]] std::size_t lossy_grain_bytes(const Lossy& lossy) noexcept;

/// What is left of numbers that begin where a grain does, and of which there is a whole number; of
/// a window at most one. `left` has the same size and does not overlap them. `lossy` is one that
/// why_not() has nothing against. No allocation, any thread.
void lose(const Lossy& lossy, ByteSpan numbers, std::span<std::byte> left) noexcept;

}  // namespace adoc
