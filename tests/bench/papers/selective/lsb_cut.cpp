#include "bench/papers/selective/lsb_cut.hpp"

#include <bit>
#include <stdexcept>

#include "bench/papers/bits.hpp"

namespace papers {
namespace {

constexpr unsigned kDoubleBits = 64;

void check(unsigned cut) {
  if (cut < 1 || cut >= kDoubleBits) throw std::invalid_argument("cut 1 to 63 bits of a double");
}

std::uint64_t filled(std::uint64_t kept, unsigned cut) {
  return (kept << cut) | (std::uint64_t{1} << (cut - 1));
}

}  // namespace

std::uint64_t lsb_cut_arrives(std::uint64_t bits, unsigned cut) {
  check(cut);
  return filled(bits >> cut, cut);
}

std::vector<std::byte> lsb_cut_encode(std::span<const double> values, unsigned cut) {
  check(cut);
  BitWriter out;
  for (const double value : values) {
    out.put(std::bit_cast<std::uint64_t>(value) >> cut, kDoubleBits - cut);
  }
  return out.bytes();
}

std::vector<double> lsb_cut_decode(std::span<const std::byte> bytes, std::size_t count,
                                   unsigned cut) {
  check(cut);
  if (count > bytes.size() * 8 / (kDoubleBits - cut)) {
    throw std::runtime_error("more values than the bytes can hold");
  }
  std::vector<double> values;
  values.reserve(count);
  BitReader in(bytes);
  while (values.size() < count) {
    values.push_back(std::bit_cast<double>(filled(in.get(kDoubleBits - cut), cut)));
  }
  return values;
}

}  // namespace papers
