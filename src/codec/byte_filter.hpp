#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "util/bytes.hpp"

namespace adoc {

/// What is done to the bytes of numbers, without loss, before a codec sees them. The values travel
/// on the wire and never change meaning.
enum class FilterKind : std::uint8_t {
  none = 0,
  byte_shuffle = 1,  ///< the bytes of all items by their place in the item
  byte_delta = 2,    ///< the same, and the differences of neighbours there
  bit_shuffle = 3,   ///< the bits of all items by their place in the item
};
inline constexpr std::size_t kFilterKinds = 4;

/// A filter of a block: `phase` bytes, then items, then less than 8 items, which with the first
/// bytes stay as they are.
struct ByteFilter {
  FilterKind kind = FilterKind::none;
  std::uint8_t item_bytes = 0;  ///< 2, 4 or 8; 0 with none
  std::uint8_t phase = 0;       ///< less than item_bytes

  bool operator==(const ByteFilter&) const = default;
};

/// Whether it is one of those that there are: they come from the wire.
[[nodiscard]] bool is_valid(const ByteFilter& filter) noexcept;

/// "none", "shuffle-4", "delta-8", "bits-2": of static storage. The filter must be valid.
[[nodiscard]] std::string_view filter_name(const ByteFilter& filter) noexcept;

/// Whether apply_filter() takes memory beside what it fills.
[[nodiscard]] constexpr bool needs_scratch(const ByteFilter& filter) noexcept {
  return filter.kind == FilterKind::bit_shuffle;
}

/// Fills `filtered` from `raw`, which is as long and does not overlap with it; nor does the
/// scratch, which is written to, is as long if the filter needs it, and may else be empty. The
/// filter must be valid. Takes 0.1 to 0.5 ns a byte.
void apply_filter(const ByteFilter& filter, ByteSpan raw, std::span<std::byte> filtered,
                  std::span<std::byte> scratch) noexcept;

/// The inverse, which also writes to `filtered`.
void undo_filter(const ByteFilter& filter, std::span<std::byte> filtered,
                 std::span<std::byte> raw) noexcept;

}  // namespace adoc
