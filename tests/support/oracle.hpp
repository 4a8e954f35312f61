#pragma once

#include "support/worlds.hpp"

namespace adoc::sim {

/// What the policy `auto` is told in the place of what it believes. With all of it, what is still
/// lost is lost by its decisions.
struct Oracle {
  bool rate = false;      ///< of the link, as it is at each moment, but not what becomes of it
  bool data = false;      ///< what levels do to them: mean and covariance over the file's kinds
  bool receiver = false;  ///< what levels take it, of all its processors
};

/// The logarithm of the time of the world's first transfer over that of the best mixture of levels.
[[nodiscard]] double score_with(const World& world, const Oracle& oracle);

}  // namespace adoc::sim
