#pragma once

#include <span>

namespace adoc {

/// Of one level: means, how they go with the one factor that they have in common, and deviations of
/// the rest. Logarithms are natural, of seconds for a raw byte, and strengths (level_prior.hpp).
struct LevelPriorRow {
  double speed = 0;
  double speed_loading = 0;
  double speed_rest = 0;
  double strength = 0;
  double strength_loading = 0;
  double strength_rest = 0;
  double decompress_nanoseconds = 0;  ///< for a raw byte, of one thread
};

struct LevelPriorTable {
  std::span<const LevelPriorRow> levels{};  ///< from level 1 on
  double entropy = 0;                       ///< bits
  double entropy_loading = 0;
  double entropy_rest = 0;
};

/// Of the ladders of these names.
extern const LevelPriorTable kAutoPrior, kLz4Prior, kZlibPrior, kZstdPrior;

}  // namespace adoc
