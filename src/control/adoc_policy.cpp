#include "control/adoc_policy.hpp"

#include <algorithm>

namespace adoc {

Choice AdocPolicy::next(const Observation& seen) {
  if (seen.fifo_after < seen.fifo_before)
    return {std::max(seen.level / 2, range_.min), "fifo shrank"};
  if (seen.fifo_after == seen.fifo_before) return {seen.level, "fifo steady"};
  if (seen.fifo_after <= kThresholdPackets) return {seen.level, "fifo short"};
  if (seen.level >= range_.max) return {seen.level, "top level"};
  return {seen.level + 1, "fifo grew"};
}

}  // namespace adoc
