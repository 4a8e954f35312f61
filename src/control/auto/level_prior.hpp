#pragma once

#include <vector>

#include "codec/ladder.hpp"
#include "control/auto/gaussian.hpp"

namespace adoc {

/// The strength of a level on some data is log(log(ratio) + kNothing): normal over kinds of data,
/// while ratios are not, and finite for what does not shrink.
inline constexpr double kNothing = 0.01;

/// What rungs do to data of any kind, before any of it is seen: fitted by tests/bench/fit_prior to
/// what measure_levels --csv measured.
struct LevelPrior {
  /// Over log seconds for a byte of each level from 1 on, then strengths of the same, then the
  /// entropy of a sample in bits, then what short blocks lose of their strength (data_model.hpp).
  Gaussian levels;
  /// Seconds that a raw byte takes one thread to decompress, for each level from 0 on.
  std::vector<double> decompress_seconds;
};

[[nodiscard]] LevelPrior level_prior(const Ladder& ladder);

}  // namespace adoc
