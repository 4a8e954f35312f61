#pragma once

#include "support/sim.hpp"

namespace adoc::sim {

/// What the policy `auto` knows before the transfer begins. With all of it, what is still lost is
/// lost by its decisions, or since it is short.
struct Oracle {
  bool rate = false;      ///< of the link, as it is at first, not what becomes of it
  bool data = false;      ///< what levels do to them: mean and covariance over the file's kinds
  bool receiver = false;  ///< what levels take it, of all its processors
};

/// A transfer by a policy that knows this.
[[nodiscard]] Outcome run(const Setup& setup, const Oracle& oracle);

}  // namespace adoc::sim
