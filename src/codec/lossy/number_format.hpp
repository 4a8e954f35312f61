#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "adoc/lossy.hpp"

namespace adoc {

/// A binary float of the form of IEEE 754: sign, exponent, fraction.
template <typename W, unsigned kFraction>
struct FloatFormat {
  using Word = W;
  /// To reckon in: what is smaller than int would become one.
  using Wide = std::conditional_t<sizeof(W) < 4, std::uint32_t, W>;
  static constexpr bool kIsFloat = true;
  static constexpr unsigned kBits = sizeof(W) * 8;
  static constexpr unsigned kFractionBits = kFraction;
  static constexpr unsigned kTopExponent = (1U << (kBits - 1 - kFraction)) - 1;
  static constexpr int kBias = static_cast<int>(kTopExponent / 2);
  static constexpr Wide kSign = Wide{1} << (kBits - 1);
  static constexpr Wide kInfinity = Wide{kTopExponent} << kFraction;

  [[nodiscard]] static constexpr unsigned exponent(Wide word) noexcept {
    return static_cast<unsigned>(word >> kFraction) & kTopExponent;
  }
  /// Neither zero nor subnormal, neither infinite nor NaN.
  [[nodiscard]] static constexpr bool is_normal(Wide word) noexcept {
    return exponent(word) - 1 < kTopExponent - 1;
  }
  [[nodiscard]] static constexpr bool is_finite(Wide word) noexcept {
    return exponent(word) != kTopExponent;
  }
  /// Of a finite one, exactly.
  [[nodiscard]] static double value(Wide word) noexcept {
    if constexpr (kBits == 64) {
      return std::bit_cast<double>(word);
    } else if constexpr (kBits == 32) {
      return std::bit_cast<float>(word);
    } else {
      // As a float's fraction, which has 23 bits, and then with its bias.
      const float unbiased = std::bit_cast<float>((word & ~kSign) << (23 - kFraction));
      const float scale = std::bit_cast<float>(static_cast<std::uint32_t>(127 + 127 - kBias) << 23);
      const double magnitude = static_cast<double>(unbiased) * static_cast<double>(scale);
      return (word & kSign) != 0 ? -magnitude : magnitude;
    }
  }
  [[nodiscard]] static double error(Wide was, Wide is) noexcept {
    const double difference = value(is) - value(was);
    return difference < 0 ? -difference : difference;
  }
};

/// An integer; with a sign in two's complement.
template <typename W, bool kSigned>
struct IntegerFormat {
  using Word = W;
  using Wide = std::conditional_t<sizeof(W) < 4, std::uint32_t, W>;
  static constexpr bool kIsFloat = false;
  static constexpr unsigned kBits = sizeof(W) * 8;
  static constexpr Wide kAll = std::numeric_limits<W>::max();
  static constexpr Wide kSign = kSigned ? Wide{1} << (kBits - 1) : 0;

  [[nodiscard]] static constexpr bool is_negative(Wide word) noexcept {
    return (word & kSign) != 0;
  }
  [[nodiscard]] static constexpr Wide magnitude(Wide word) noexcept {
    return is_negative(word) ? (~word + 1) & kAll : word;
  }
  /// The largest magnitude there is with this sign.
  [[nodiscard]] static constexpr Wide limit(bool negative) noexcept {
    return negative ? kSign : kAll - kSign;
  }
  [[nodiscard]] static constexpr bool is_finite(Wide) noexcept { return true; }
  [[nodiscard]] static double value(Wide word) noexcept {
    const auto size = static_cast<double>(magnitude(word));
    return is_negative(word) ? -size : size;
  }
  [[nodiscard]] static double error(Wide was, Wide is) noexcept {
    // As unsigned numbers they keep their order when a sign is turned over.
    const Wide from = was ^ kSign;
    const Wide to = is ^ kSign;
    return static_cast<double>(from < to ? to - from : from - to);
  }
};

/// Calls `visit` with the format of the numbers of a type.
template <typename Visit>
decltype(auto) with_format(ItemType type, Visit visit) {
  switch (type) {
    case ItemType::int8:
      return visit(IntegerFormat<std::uint8_t, true>());
    case ItemType::int16:
      return visit(IntegerFormat<std::uint16_t, true>());
    case ItemType::int32:
      return visit(IntegerFormat<std::uint32_t, true>());
    case ItemType::int64:
      return visit(IntegerFormat<std::uint64_t, true>());
    case ItemType::uint8:
      return visit(IntegerFormat<std::uint8_t, false>());
    case ItemType::uint16:
      return visit(IntegerFormat<std::uint16_t, false>());
    case ItemType::uint32:
      return visit(IntegerFormat<std::uint32_t, false>());
    case ItemType::uint64:
      return visit(IntegerFormat<std::uint64_t, false>());
    case ItemType::float16:
      return visit(FloatFormat<std::uint16_t, 10>());
    case ItemType::bfloat16:
      return visit(FloatFormat<std::uint16_t, 7>());
    case ItemType::float32:
    case ItemType::complex64:
      return visit(FloatFormat<std::uint32_t, 23>());
    case ItemType::float64:
    case ItemType::complex128:
      break;
  }
  return visit(FloatFormat<std::uint64_t, 52>());
}

/// The number at `from`, which may be anywhere.
template <typename Format>
[[nodiscard]] typename Format::Wide load_number(const std::byte* from) noexcept {
  typename Format::Word word;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, from, sizeof(word));
  } else {
    word = 0;
    for (std::size_t i = sizeof(word); i-- > 0;)
      word = static_cast<typename Format::Word>(word << 8 | std::to_integer<unsigned>(from[i]));
  }
  return word;
}

template <typename Format>
void store_number(typename Format::Wide wide, std::byte* to) noexcept {
  const auto word = static_cast<typename Format::Word>(wide);
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(to, &word, sizeof(word));
  } else {
    for (std::size_t i = 0; i < sizeof(word); ++i) to[i] = static_cast<std::byte>(word >> (8 * i));
  }
}

/// What `change` makes of each number. `numbers` and `changed` have the same size, a multiple of
/// that of a number, and do not overlap.
template <typename Format, typename Change>
void change_each(std::span<const std::byte> numbers, std::span<std::byte> changed,
                 Change change) noexcept {
  constexpr std::size_t kBytes = sizeof(typename Format::Word);
  const std::byte* __restrict from = numbers.data();
  std::byte* __restrict to = changed.data();
  const std::size_t count = numbers.size() / kBytes;
  for (std::size_t i = 0; i < count; ++i)
    store_number<Format>(change(load_number<Format>(from + i * kBytes)), to + i * kBytes);
}

}  // namespace adoc
