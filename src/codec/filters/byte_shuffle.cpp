#include "codec/filters/byte_shuffle.hpp"

#include <algorithm>
#include <array>

namespace adoc {

namespace {

/// Items that are dealt with at once: what stands in between stays in the first cache.
constexpr std::size_t kItems = 512;

using Plane = std::array<std::byte, kItems>;

// Both loops become shuffles of whole vectors.
void split(const std::byte* __restrict pairs, std::size_t count, std::byte* __restrict even,
           std::byte* __restrict odd) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    even[i] = pairs[2 * i];
    odd[i] = pairs[2 * i + 1];
  }
}

void join(const std::byte* __restrict even, const std::byte* __restrict odd, std::size_t count,
          std::byte* __restrict pairs) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    pairs[2 * i] = even[i];
    pairs[2 * i + 1] = odd[i];
  }
}

/// Bytes at even places, which are items of half the size, and those at odd ones, until each is a
/// plane of its own: its first byte in an item is `first`, the next one `stride` further on.
template <std::size_t kBytes>
void split_items(const std::byte* items, std::size_t count, std::byte* planes,
                 std::size_t plane_bytes) noexcept {
  if constexpr (kBytes == 2) {
    split(items, count, planes, planes + plane_bytes);
  } else {
    std::array<std::byte, kItems * kBytes / 2> even;
    std::array<std::byte, kItems * kBytes / 2> odd;
    split(items, count * kBytes / 2, even.data(), odd.data());
    split_items<kBytes / 2>(even.data(), count, planes, 2 * plane_bytes);
    split_items<kBytes / 2>(odd.data(), count, planes + plane_bytes, 2 * plane_bytes);
  }
}

template <std::size_t kBytes>
void join_items(const std::byte* planes, std::size_t plane_bytes, std::size_t count,
                std::byte* items) noexcept {
  if constexpr (kBytes == 2) {
    join(planes, planes + plane_bytes, count, items);
  } else {
    std::array<std::byte, kItems * kBytes / 2> even;
    std::array<std::byte, kItems * kBytes / 2> odd;
    join_items<kBytes / 2>(planes, 2 * plane_bytes, count, even.data());
    join_items<kBytes / 2>(planes + plane_bytes, 2 * plane_bytes, count, odd.data());
    join(even.data(), odd.data(), count * kBytes / 2, items);
  }
}

template <std::size_t kBytes>
void shuffle(std::span<const std::byte> items, std::byte* planes) noexcept {
  const std::size_t count = items.size() / kBytes;
  for (std::size_t i = 0; i < count; i += kItems)
    split_items<kBytes>(items.data() + i * kBytes, std::min(kItems, count - i), planes + i, count);
}

template <std::size_t kBytes>
void unshuffle(const std::byte* planes, std::span<std::byte> items) noexcept {
  const std::size_t count = items.size() / kBytes;
  for (std::size_t i = 0; i < count; i += kItems)
    join_items<kBytes>(planes + i, count, std::min(kItems, count - i), items.data() + i * kBytes);
}

}  // namespace

void byte_shuffle(std::size_t item_bytes, std::span<const std::byte> items,
                  std::span<std::byte> planes) noexcept {
  if (item_bytes == 2) return shuffle<2>(items, planes.data());
  if (item_bytes == 4) return shuffle<4>(items, planes.data());
  shuffle<8>(items, planes.data());
}

void byte_unshuffle(std::size_t item_bytes, std::span<const std::byte> planes,
                    std::span<std::byte> items) noexcept {
  if (item_bytes == 2) return unshuffle<2>(planes.data(), items);
  if (item_bytes == 4) return unshuffle<4>(planes.data(), items);
  unshuffle<8>(planes.data(), items);
}

}  // namespace adoc
