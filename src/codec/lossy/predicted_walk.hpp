#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "codec/lossy/number_format.hpp"
#include "codec/lossy/prediction.hpp"

namespace adoc {

/// Numbers so far apart are of one level, its logarithm; above that of the largest distance is the
/// first number.
inline constexpr std::size_t kLevels = 18;

/// How many numbers of a window, or of several, are of each level.
using LevelCounts = std::array<std::size_t, kLevels>;

[[nodiscard]] constexpr bool is_cubic(Predictor predictor) noexcept {
  return predictor == Predictor::cubic || predictor == Predictor::graded_cubic;
}

/// Where numbers stand one behind the other that are predicted from each other: the two parts of
/// complex ones take turns.
[[nodiscard]] constexpr std::size_t lanes_of(ItemType type) noexcept {
  return type == ItemType::complex64 || type == ItemType::complex128 ? 2 : 1;
}

inline void count_levels(ItemType type, Predictor predictor, std::size_t numbers,
                         LevelCounts& counts) noexcept {
  if (!is_cubic(predictor)) {
    counts[0] += numbers;
    return;
  }
  const std::size_t lanes = lanes_of(type);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::size_t length = (numbers + lanes - 1 - lane) / lanes;
    if (length == 0) continue;
    std::size_t level = 0;
    for (; std::size_t{1} << level < length; ++level) {
      const std::size_t apart = std::size_t{1} << level;
      counts[level] += (length - apart + 2 * apart - 1) / (2 * apart);
    }
    ++counts[level];
  }
}

/// Integers as they are summed and halved below: what is too large comes round again.
class Wrapped {
 public:
  explicit Wrapped(std::int64_t value) noexcept : bits_(static_cast<std::uint64_t>(value)) {}
  friend Wrapped operator+(Wrapped a, Wrapped b) noexcept { return of(a.bits_ + b.bits_); }
  friend Wrapped operator-(Wrapped a, Wrapped b) noexcept { return of(a.bits_ - b.bits_); }
  friend Wrapped operator*(std::uint64_t factor, Wrapped a) noexcept {
    return of(factor * a.bits_);
  }
  [[nodiscard]] std::int64_t value() const noexcept { return static_cast<std::int64_t>(bits_); }
  /// Divided by 2^bits, to the nearest, halves upwards.
  [[nodiscard]] std::int64_t over(unsigned bits) const noexcept {
    return static_cast<std::int64_t>(bits_ + (std::uint64_t{1} << (bits - 1))) >> bits;
  }

 private:
  static Wrapped of(std::uint64_t bits) noexcept {
    return Wrapped(static_cast<std::int64_t>(bits));
  }
  std::uint64_t bits_;
};

/// Of the number `at`, which has others `apart` and three times that before and behind it, as far
/// as there are any.
inline std::int64_t cubic(std::span<const std::int64_t> values, std::size_t at,
                          std::size_t apart) noexcept {
  const Wrapped before(values[at - apart]);
  const bool second = at >= 3 * apart;
  const Wrapped further(second ? values[at - 3 * apart] : 0);
  if (at + apart >= values.size()) return second ? (3 * before - further).over(1) : before.value();
  const Wrapped behind(values[at + apart]);
  if (at + 3 * apart >= values.size())
    return second ? (6 * before + 3 * behind - further).over(3) : (before + behind).over(1);
  const Wrapped last(values[at + 3 * apart]);
  return second ? (9 * (before + behind) - further - last).over(4)
                : (3 * before + 6 * behind - last).over(3);
}

/// Goes through a window in the order of the wire. `visit(level, index, predicted)` tells the
/// integer that stands at the index. `values` is where they are kept, as many as there are numbers.
template <typename Visit>
void walk(ItemType type, Predictor predictor, std::span<std::int64_t> values, Visit visit) {
  const std::size_t lanes = lanes_of(type);
  std::size_t begin = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::size_t length = (values.size() + lanes - 1 - lane) / lanes;
    const std::span<std::int64_t> lined = values.subspan(begin, length);
    begin += length;
    if (length == 0) continue;
    const auto take = [&](std::size_t level, std::size_t at, std::int64_t predicted) {
      lined[at] = visit(level, at * lanes + lane, predicted);
    };
    if (!is_cubic(predictor)) {
      const bool previous = predictor == Predictor::previous;
      for (std::size_t at = 0; at < length; ++at)
        take(0, at, previous && at != 0 ? lined[at - 1] : 0);
      continue;
    }
    auto level = static_cast<std::size_t>(std::bit_width(length - 1));
    take(level, 0, 0);
    while (level-- > 0) {
      const std::size_t apart = std::size_t{1} << level;
      for (std::size_t at = apart; at < length; at += 2 * apart)
        take(level, at, cubic(lined, at, apart));
    }
  }
}

/// The steps of each level.
[[nodiscard]] inline std::array<std::int64_t, kLevels> steps_of(
    const Prediction& prediction) noexcept {
  const std::int64_t step = prediction.step;
  std::array<std::int64_t, kLevels> steps;
  steps.fill(step);
  if (prediction.predictor != Predictor::graded_cubic) return steps;
  steps.fill(step / 3 | 1);
  steps[0] = step;
  steps[1] = 2 * step / 3 | 1;
  return steps;
}

/// Converts numbers to the integers that stand for them, and back.
template <typename Format>
class NumberScale {
 public:
  using Wide = typename Format::Wide;
  static_assert(Format::kBits >= 32);

  explicit NumberScale(int exponent) noexcept
      : unit_(power(exponent)),
        per_unit_(power(-exponent)),
        exact_(exponent >= kLeastExact && exponent <= kMostExact ? kExactBelow : 0) {}

  /// Of a number, in units.
  [[nodiscard]] double units(Wide word) const noexcept { return Format::value(word) * per_unit_; }

  /// The nearest integer, ties away from zero, of what has one below 2^50.
  [[nodiscard]] std::optional<std::int64_t> integer(Wide word) const noexcept {
    if (!Format::is_finite(word)) return std::nullopt;
    const double scaled = units(word);
    if (!(scaled > -kMost && scaled < kMost)) return std::nullopt;
    const auto whole = static_cast<std::int64_t>(scaled);
    const double rest = scaled - static_cast<double>(whole);
    return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
  }
  /// The nearest number; infinite if that is beyond all.
  [[nodiscard]] Wide word(std::int64_t integer) const noexcept {
    const double value = static_cast<double>(integer) * unit_;
    if constexpr (Format::kBits == 64) {
      return std::bit_cast<std::uint64_t>(value);
    } else {
      constexpr double kLargest = std::numeric_limits<float>::max();
      if (value > kLargest) return Format::kInfinity;
      if (value < -kLargest) return Format::kInfinity | Format::kSign;
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
  }
  /// What integer() tells of word(integer) is sure to be the same.
  [[nodiscard]] bool is_exact(std::int64_t integer) const noexcept {
    return integer > -exact_ && integer < exact_;
  }

 private:
  static constexpr double kMost = 0x1p50;
  // Then the number is normal.
  static constexpr int kLeastExact = Format::kBits == 64 ? -1'000 : -126;
  static constexpr int kMostExact = Format::kBits == 64 ? 900 : 100;
  static constexpr std::int64_t kExactBelow = std::int64_t{1} << (Format::kBits == 64 ? 50 : 24);

  static double power(int exponent) noexcept {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1'023 + exponent) << 52);
  }
  double unit_;
  double per_unit_;
  std::int64_t exact_;
};

/// A number as it is coded: the same at both ends.
template <typename Format>
struct Coded {
  std::uint64_t code = 0;
  typename Format::Wide word = 0;  ///< that arrives
  std::int64_t integer = 0;        ///< from which others are predicted
};

/// What `prediction` makes of numbers, and back.
template <typename Format>
class PredictedCode {
 public:
  using Wide = typename Format::Wide;

  explicit PredictedCode(const Prediction& prediction) noexcept
      : scale_(prediction.exponent), steps_(steps_of(prediction)) {
    for (std::size_t i = 0; i < kLevels; ++i) per_step_[i] = 1 / static_cast<double>(steps_[i]);
  }

  /// The nearest that can be told by steps, if `accept(word)` takes that, or else the number itself
  /// (with kLiteralCode, or kZeroCode).
  template <typename Accept>
  [[nodiscard]] Coded<Format> code(std::size_t level, Wide word, std::int64_t predicted,
                                   Accept accept) const noexcept {
    const double off = scale_.units(word) - static_cast<double>(predicted);
    const double count = off * per_step_[level];
    // False for infinities and NaN.
    if (count > -kMostSteps && count < kMostSteps) {
      const auto steps = static_cast<std::int64_t>(count + std::copysign(0.5, count));
      const Coded<Format> coded = stepped(level, predicted, steps);
      if (accept(coded.word)) return coded;
    }
    if (word == 0) return {kZeroCode, 0, 0};
    return literal(word, predicted);
  }
  [[nodiscard]] Coded<Format> steps(std::size_t level, std::uint64_t code,
                                    std::int64_t predicted) const noexcept {
    const std::uint64_t folded = code == kNoStepsCode ? 0 : code - kZeroCode;
    return stepped(level, predicted, static_cast<std::int64_t>(folded >> 1 ^ (~(folded & 1) + 1)));
  }
  [[nodiscard]] Coded<Format> literal(Wide word, std::int64_t predicted) const noexcept {
    return {kLiteralCode, word, scale_.integer(word).value_or(predicted)};
  }

 private:
  /// A code then fits in a word.
  static constexpr double kMostSteps = Format::kBits == 32 ? 0x1p30 : 0x1p50;

  [[nodiscard]] Coded<Format> stepped(std::size_t level, std::int64_t predicted,
                                      std::int64_t steps) const noexcept {
    const std::int64_t integer =
        (Wrapped(predicted) + static_cast<std::uint64_t>(steps) * Wrapped(steps_[level])).value();
    const Wide word = scale_.word(integer);
    const auto folded =
        static_cast<std::uint64_t>(steps) << 1 ^ static_cast<std::uint64_t>(steps >> 63);
    // What a word can show of it is what the other side has as well.
    return {folded == 0 ? kNoStepsCode : folded + kZeroCode, word,
            scale_.is_exact(integer) ? integer : scale_.integer(word).value_or(predicted)};
  }

  NumberScale<Format> scale_;
  std::array<std::int64_t, kLevels> steps_;
  std::array<double, kLevels> per_step_;
};

/// Calls `visit` with the format of numbers that can be predicted.
template <typename Visit>
decltype(auto) with_predicted_format(ItemType type, Visit visit) {
  if (number_bytes(type) == 4) return visit(FloatFormat<std::uint32_t, 23>());
  return visit(FloatFormat<std::uint64_t, 52>());
}

}  // namespace adoc
