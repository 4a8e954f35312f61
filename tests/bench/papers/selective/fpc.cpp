#include "bench/papers/selective/fpc.hpp"

#include <array>
#include <bit>
#include <stdexcept>

#include "bench/papers/bits.hpp"

namespace papers {
namespace {

constexpr unsigned kPrefixBits = 3;
constexpr unsigned kWhole = 0b111;
constexpr unsigned kUnused = 0b110;
constexpr unsigned kLeastBits = 14;

// Bits that follow the prefix, by prefix; 110 is unused.
constexpr std::array<unsigned, 8> kDataBits = {19, 18, 17, 16, 15, 14, 0, 32};

unsigned prefix_of(std::uint32_t value) {
  const auto bits = static_cast<unsigned>(std::bit_width(value));
  if (bits > kDataBits[0]) return kWhole;
  return kDataBits[0] - (bits < kLeastBits ? kLeastBits : bits);
}

}  // namespace

FpcCoded fpc_encode(std::span<const std::int32_t> values) {
  BitWriter out;
  for (const std::int32_t signed_value : values) {
    const auto value = static_cast<std::uint32_t>(signed_value);
    const unsigned prefix = prefix_of(value);
    out.put(prefix, kPrefixBits);
    out.put(value, kDataBits[prefix]);
  }
  return {out.bytes(), out.bits()};
}

std::vector<std::int32_t> fpc_decode(std::span<const std::byte> bytes, std::size_t count) {
  if (count > bytes.size() * 8 / (kPrefixBits + kLeastBits)) {
    throw std::runtime_error("more values than the bytes can hold");
  }
  std::vector<std::int32_t> values;
  values.reserve(count);
  BitReader in(bytes);
  while (values.size() < count) {
    const auto prefix = static_cast<unsigned>(in.get(kPrefixBits));
    if (prefix == kUnused) throw std::runtime_error("a prefix that stands for nothing");
    values.push_back(static_cast<std::int32_t>(in.get(kDataBits[prefix])));
  }
  return values;
}

}  // namespace papers
