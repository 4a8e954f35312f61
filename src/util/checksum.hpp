#pragma once

#include <array>
#include <cstdint>

#include "util/bytes.hpp"

namespace adoc {

/// XXH3-64 with `seed`. Detects accidents, not attackers.
[[nodiscard]] std::uint64_t xxh3_64(ByteSpan bytes, std::uint64_t seed = 0) noexcept;

using ContentHash = std::array<std::byte, 16>;

/// XXH3-128 in its canonical byte order.
[[nodiscard]] ContentHash xxh3_128(ByteSpan bytes) noexcept;

}  // namespace adoc
