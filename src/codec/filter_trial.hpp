#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/byte_filter.hpp"
#include "codec/codec.hpp"
#include "codec/ladder.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// How filters are tried on a block. For blocks of which all of this is the same the outcome is.
struct FilterTrial {
  std::uint8_t item_bytes = 0;  ///< of its numbers: 2, 4 or 8
  /// Bits that are apart gain most where the codec does not.
  bool codes_entropy = true;
  /// So many of the item's bytes have one table of the codec's: all in a short block, whose
  /// numbers become a few KiB for each byte, and 1 in a long one. At most item_bytes.
  std::uint8_t planes_together = 0;
};

/// For the level that a block of this length goes at.
[[nodiscard]] FilterTrial filter_trial(std::uint8_t item_bytes, const Rung& rung,
                                       std::size_t block_bytes) noexcept;

/// The filter by which pieces from all over the block, at most 32 KiB together, get shortest with
/// this compressor and setting, or none if none gains at least 3 %. What has tables apart in the
/// block is compressed apart, so that the pieces show what the block gains. May throw what
/// allocating throws.
[[nodiscard]] ByteFilter try_filters(const FilterTrial& trial, ByteSpan block,
                                     Compressor& compressor, int setting);

}  // namespace adoc
