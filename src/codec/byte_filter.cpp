#include "codec/byte_filter.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codec/filters/bit_transpose.hpp"
#include "codec/filters/byte_delta.hpp"
#include "codec/filters/byte_shuffle.hpp"

namespace adoc {

namespace {

/// The bits of so many items fill bytes.
constexpr std::size_t kWholeItems = 8;

/// Where the items of a block are.
struct Items {
  std::size_t begin = 0;
  std::size_t bytes = 0;
};

Items items_of(const ByteFilter& filter, std::size_t block_bytes) noexcept {
  const std::size_t begin = std::min<std::size_t>(filter.phase, block_bytes);
  const std::size_t rest = block_bytes - begin;
  return {.begin = begin, .bytes = rest - rest % (kWholeItems * filter.item_bytes)};
}

template <typename From, typename To, typename Step>
void for_each_plane(const ByteFilter& filter, From from, To to, Step step) noexcept {
  const std::size_t plane = from.size() / filter.item_bytes;
  for (std::size_t i = 0; i < filter.item_bytes; ++i)
    step(from.subspan(i * plane, plane), to.subspan(i * plane, plane));
}

void copy_rest(const Items& items, ByteSpan from, std::span<std::byte> to) noexcept {
  std::ranges::copy(from.first(items.begin), to.begin());
  const std::size_t end = items.begin + items.bytes;
  std::ranges::copy(from.subspan(end), to.subspan(end).begin());
}

}  // namespace

bool is_valid(const ByteFilter& filter) noexcept {
  if (filter.kind == FilterKind::none) return filter.item_bytes == 0 && filter.phase == 0;
  const bool size = filter.item_bytes == 2 || filter.item_bytes == 4 || filter.item_bytes == 8;
  return filter.kind <= FilterKind::bit_shuffle && size && filter.phase < filter.item_bytes;
}

std::string_view filter_name(const ByteFilter& filter) noexcept {
  static constexpr std::array<std::array<std::string_view, 3>, 3> kNames{
      {{"shuffle-2", "shuffle-4", "shuffle-8"},
       {"delta-2", "delta-4", "delta-8"},
       {"bits-2", "bits-4", "bits-8"}}};
  if (filter.kind == FilterKind::none) return "none";
  const auto size = static_cast<std::size_t>(std::countr_zero(filter.item_bytes)) - 1;
  return kNames[static_cast<std::size_t>(filter.kind) - 1][size];
}

void apply_filter(const ByteFilter& filter, ByteSpan raw, std::span<std::byte> filtered,
                  std::span<std::byte> scratch) noexcept {
  if (filter.kind == FilterKind::none) return copy_rest({}, raw, filtered);
  const Items items = items_of(filter, raw.size());
  copy_rest(items, raw, filtered);
  raw = raw.subspan(items.begin, items.bytes);
  filtered = filtered.subspan(items.begin, items.bytes);
  if (!needs_scratch(filter)) {
    byte_shuffle(filter.item_bytes, raw, filtered);
    if (filter.kind == FilterKind::byte_delta)
      for_each_plane(filter, filtered, filtered,
                     [](std::span<std::byte> plane, std::span<std::byte>) { byte_delta(plane); });
    return;
  }
  scratch = scratch.first(items.bytes);
  byte_shuffle(filter.item_bytes, raw, scratch);
  transpose_bits(scratch);
  for_each_plane(filter, ByteSpan(scratch), filtered,
                 [](ByteSpan from, std::span<std::byte> to) { byte_shuffle(8, from, to); });
}

void undo_filter(const ByteFilter& filter, std::span<std::byte> filtered,
                 std::span<std::byte> raw) noexcept {
  if (filter.kind == FilterKind::none) return copy_rest({}, filtered, raw);
  const Items items = items_of(filter, raw.size());
  copy_rest(items, filtered, raw);
  raw = raw.subspan(items.begin, items.bytes);
  filtered = filtered.subspan(items.begin, items.bytes);
  if (filter.kind == FilterKind::bit_shuffle) {
    for_each_plane(filter, ByteSpan(filtered), raw,
                   [](ByteSpan from, std::span<std::byte> to) { byte_unshuffle(8, from, to); });
    transpose_bits(raw);
    std::ranges::copy(raw, filtered.begin());
    return byte_unshuffle(filter.item_bytes, filtered, raw);
  }
  if (filter.kind == FilterKind::byte_delta)
    for_each_plane(filter, filtered, filtered,
                   [](std::span<std::byte> plane, std::span<std::byte>) { byte_sum(plane); });
  byte_unshuffle(filter.item_bytes, filtered, raw);
}

}  // namespace adoc
