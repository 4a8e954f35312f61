#pragma once

#include "codec/byte_filter.hpp"
#include "codec/codec.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// The filter by which a part of the block, at most 32 KiB, gets shortest with this compressor and
/// setting, or none if no filter gains at least 3 %. Tried are the filter that the statistics of
/// bytes suggest (filter_statistics.hpp) and a bit shuffle of the same items, which is for codecs
/// that do not code entropy. May throw what allocating throws.
[[nodiscard]] ByteFilter try_filters(const ByteFilter& likely, ByteSpan block,
                                     Compressor& compressor, int setting);

}  // namespace adoc
