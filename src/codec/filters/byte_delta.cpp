#include "codec/filters/byte_delta.hpp"

#include <algorithm>
#include <array>

namespace adoc {

namespace {

/// Bytes that are copied out of the way at once: these stay in the first cache.
constexpr std::size_t kChunkBytes = 4'096;

std::byte minus(std::byte a, std::byte b) noexcept {
  return static_cast<std::byte>(std::to_integer<unsigned>(a) - std::to_integer<unsigned>(b));
}

}  // namespace

void byte_delta(std::span<std::byte> bytes) noexcept {
  std::array<std::byte, 1 + kChunkBytes> copy;
  copy.front() = std::byte{0};
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), kChunkBytes);
    std::ranges::copy(bytes.first(length), copy.begin() + 1);
    std::byte* __restrict out = bytes.data();
    for (std::size_t i = 0; i < length; ++i) out[i] = minus(copy[i + 1], copy[i]);
    copy.front() = copy[length];
    bytes = bytes.subspan(length);
  }
}

void byte_sum(std::span<std::byte> bytes) noexcept {
  unsigned sum = 0;
  for (std::byte& byte : bytes) {
    sum += std::to_integer<unsigned>(byte);
    byte = static_cast<std::byte>(sum);
  }
}

}  // namespace adoc
