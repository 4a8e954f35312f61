#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/byte_filter.hpp"
#include "codec/codec.hpp"
#include "codec/ladder.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// How filters are tried on a block. For blocks of which all of this is the same the costs are.
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

/// What filters are weighed by, each in the same unit, whatever that is. Where nobody knows what
/// time is worth, bytes alone count.
struct FilterPrices {
  double second = 0;           ///< of a processor here, to filter
  double receiver_second = 0;  ///< of one of the receiver's, to undo it
  double stored_byte = 1;
};

/// What a byte of a block takes with each filter, as a trial has shown it.
struct FilterCosts {
  struct Cost {
    double stored_bytes = 1;
    double seconds = 0;
    double seconds_to_undo = 0;
  };

  /// The filter that costs least, or none if each saves less than 3 % of what is stored.
  [[nodiscard]] ByteFilter cheapest(const FilterPrices& prices) const noexcept;

  [[nodiscard]] Cost& of(FilterKind kind) noexcept { return costs[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const Cost& of(FilterKind kind) const noexcept {
    return costs[static_cast<std::size_t>(kind)];
  }

  std::uint8_t item_bytes = 0;
  std::array<Cost, kFilterKinds> costs{};
};

/// Tries all filters on pieces from all over the block, at most 32 KiB together, with this
/// compressor and setting. What has tables apart in the block is compressed apart, so that the
/// pieces show what the block gains. Reads the thread's clock. May throw what allocating throws.
[[nodiscard]] FilterCosts try_filters(const FilterTrial& trial, ByteSpan block,
                                      Compressor& compressor, int setting);

}  // namespace adoc
