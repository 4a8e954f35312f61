#pragma once

#include <cstddef>
#include <vector>

#include "support/worlds.hpp"

namespace adoc::sim {

/// Logarithms of times over those of the best mixture of levels in hindsight. In both is what the
/// programs take to start and to shake hands, three round trips: who waits for a file waits for
/// that, too.
struct Judged {
  double first = 0;  ///< the policy `auto`, of which nothing is remembered
  double same = 0;   ///< and what it remembers of the first transfer
  double other = 0;
  double law = 0;    ///< the paper's, of the first transfer; NaN where that was too long to run
  double fixed = 0;  ///< the best fixed level of the first transfer
};

[[nodiscard]] Judged judge(const World& world);

/// Of one transfer: the logarithm of its time over the best mixture's.
[[nodiscard]] double score_of(const Setup& setup, const Outcome& outcome);

/// Of many worlds. NaN is left out.
struct Score {
  std::size_t worlds = 0;
  double mean = 0;  ///< a factor, as all of them: e to the mean of the logarithms
  double most = 0;  ///< 95 % of the worlds are not above it
  double worst = 0;
};
[[nodiscard]] Score score(std::vector<double> logarithms);

}  // namespace adoc::sim
