#include "control/selective_policy.hpp"

namespace adoc {

Choice SelectivePolicy::choose(const LinkState& link, const SampleStats& stats,
                               std::size_t raw_bytes) {
  if (stats.random) return {0, "random"};
  if (raw_bytes >= kLongBytes) return {setup_.level, "long"};
  if (link.fifo_packets > 0) return {setup_.level, "busy"};
  return {0, "short"};
}

}  // namespace adoc
