#pragma once

#include <cstddef>
#include <cstdint>

#include "adoc/lossy.hpp"

namespace adoc {

/// From what a number of a window is predicted. The values travel on the wire and never change
/// meaning.
enum class Predictor : std::uint8_t {
  none = 0,      ///< 0
  previous = 1,  ///< the number before it
  /// The cubic through the two numbers on either side, of those twice as far apart, which come
  /// first.
  cubic = 2,
  graded_cubic = 3,  ///< the same, and numbers further apart have finer steps
};
inline constexpr std::size_t kPredictors = 4;

/// How the numbers of a window are made coarser and predicted, which is the way of SZ (Di and
/// Cappello 2016; with cubics Zhao et al. 2021): each becomes its prediction and a whole number of
/// steps. Numbers are taken as the nearest integer times 2^exponent, so that predictions are
/// reckoned with integers, and all machines get the same.
struct Prediction {
  Predictor predictor = Predictor::none;
  int exponent = 0;        ///< -kMostExponent .. kMostExponent
  std::uint32_t step = 1;  ///< 1 .. kMostStep

  static constexpr int kMostExponent = 1'000;
  static constexpr std::uint32_t kMostStep = 65'535;

  bool operator==(const Prediction&) const = default;
};

// What stands for a number that is its prediction, for a word that is told by itself, for the last
// one of these again, and for a zero; 4 and more are steps from the prediction on: -1, 1, -2, ...
inline constexpr std::uint64_t kNoStepsCode = 0;
inline constexpr std::uint64_t kLiteralCode = 1;
inline constexpr std::uint64_t kAgainCode = 2;
inline constexpr std::uint64_t kZeroCode = 3;

}  // namespace adoc
