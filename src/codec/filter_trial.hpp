#pragma once

#include <cstdint>

#include "codec/byte_filter.hpp"
#include "codec/codec.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// The filter for items of 2, 4 or 8 bytes by which a part of the block, at most 32 KiB, gets
/// shortest with this compressor and setting, or none if none gains at least 3 %. Which kind of
/// filter is best depends on the codec: bits gain most where it does not code entropy. May throw
/// what allocating throws.
[[nodiscard]] ByteFilter try_filters(std::uint8_t item_bytes, ByteSpan block,
                                     Compressor& compressor, int setting);

}  // namespace adoc
