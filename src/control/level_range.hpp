#pragma once

#include <algorithm>

namespace adoc {

/// The levels that a policy may use, both ends included.
struct LevelRange {
  int min = 0;
  int max = 0;

  [[nodiscard]] int clamp(int level) const noexcept { return std::clamp(level, min, max); }
};

}  // namespace adoc
