#include "codec/lossy/round_numbers.hpp"

#include <algorithm>

#include "codec/lossy/number_format.hpp"

namespace adoc {

namespace {

/// A float, its fraction's low `bits` rounded away, which may be more than it has: at most one more
/// makes a power of two of it, further ones nothing.
template <typename Format>
typename Format::Wide round_float(typename Format::Wide word, int bits) noexcept {
  using Wide = typename Format::Wide;
  constexpr int kMost = static_cast<int>(Format::kFractionBits) + 1;
  if (!Format::is_normal(word) || bits <= 0) return word;
  if (bits > kMost) return 0;
  const Wide half = Wide{1} << (bits - 1);
  const Wide low = (Wide{1} << std::min(bits, kMost - 1)) - 1;
  // A carry goes on into the exponent, and that is right.
  const Wide rounded = ((word & ~Format::kSign) + half) & ~low;
  return rounded >= Format::kInfinity ? word : rounded | (word & Format::kSign);
}

/// An integer, its low `bits` rounded away, which may be more than it has.
template <typename Format>
typename Format::Wide round_integer(typename Format::Wide word, int bits) noexcept {
  using Wide = typename Format::Wide;
  constexpr int kMost = static_cast<int>(Format::kBits);
  if (bits <= 0) return word;
  if (bits > kMost) return 0;
  const bool negative = Format::is_negative(word);
  const Wide size = Format::magnitude(word);
  const Wide half = Wide{1} << (bits - 1);
  const Wide sum = size + half;
  const Wide rounded = sum & ~(half | (half - 1));
  if (sum < size || rounded > Format::limit(negative)) return word;
  return negative ? (~rounded + 1) & Format::kAll : rounded;
}

}  // namespace

void round_to_step(ItemType type, int step, std::span<const std::byte> numbers,
                   std::span<std::byte> rounded) noexcept {
  with_format(type, [&]<typename Format>(Format) {
    using Wide = typename Format::Wide;
    change_each<Format>(numbers, rounded, [=](Wide word) -> Wide {
      if constexpr (Format::kIsFloat) {
        const int unit = static_cast<int>(Format::exponent(word)) - Format::kBias -
                         static_cast<int>(Format::kFractionBits);
        return round_float<Format>(word, step - unit);
      } else {
        return round_integer<Format>(word, step);
      }
    });
  });
}

void round_relative(ItemType type, int step, std::span<const std::byte> numbers,
                    std::span<std::byte> rounded) noexcept {
  with_format(type, [&]<typename Format>(Format) {
    using Wide = typename Format::Wide;
    change_each<Format>(numbers, rounded, [=](Wide word) -> Wide {
      if constexpr (Format::kIsFloat) {
        return round_float<Format>(word, static_cast<int>(Format::kFractionBits) + step);
      } else {
        const int top = static_cast<int>(std::bit_width(Format::magnitude(word))) - 1;
        return round_integer<Format>(word, top + step);
      }
    });
  });
}

}  // namespace adoc
