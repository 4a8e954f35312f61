#include "codec/filters/bit_transpose.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace adoc {

namespace {

/// Warren, Hacker's Delight, 7-3.
std::uint64_t transposed(std::uint64_t x) noexcept {
  std::uint64_t swap = (x ^ (x >> 7)) & 0x00AA'00AA'00AA'00AA;
  x ^= swap ^ (swap << 7);
  swap = (x ^ (x >> 14)) & 0x0000'CCCC'0000'CCCC;
  x ^= swap ^ (swap << 14);
  swap = (x ^ (x >> 28)) & 0x0000'0000'F0F0'F0F0;
  return x ^ swap ^ (swap << 28);
}

std::uint64_t little_endian(std::uint64_t word) noexcept {
  if constexpr (std::endian::native == std::endian::little) return word;
  return __builtin_bswap64(word);
}

}  // namespace

void transpose_bits(std::span<std::byte> bytes) noexcept {
  std::byte* const begin = bytes.data();
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + i, sizeof(word));
    word = little_endian(transposed(little_endian(word)));
    std::memcpy(begin + i, &word, sizeof(word));
  }
}

}  // namespace adoc
