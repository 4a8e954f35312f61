#include "control/adoc_policy.hpp"

namespace adoc {

Choice AdocPolicy::after(const BlockResult& result) const noexcept {
  const LevelRange& range = setup_.range;
  if (result.fifo_after < result.fifo_before)
    return {std::max(result.level / 2, range.min), "fifo shrank"};
  if (result.fifo_after == result.fifo_before) return {result.level, "fifo steady"};
  if (result.fifo_after <= kThresholdPackets) return {result.level, "fifo short"};
  if (result.level >= range.max) return {result.level, "top level"};
  return {result.level + 1, "fifo grew"};
}

}  // namespace adoc
