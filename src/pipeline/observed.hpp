#pragma once

#include "adoc/observer.hpp"
#include "control/policy.hpp"
#include "io/stream.hpp"
#include "pipeline/pipeline_times.hpp"

namespace adoc {

/// What a sender's threads and system know at a moment of the connection that there is.
struct Observed {
  const PipelineTimes& times;
  const LinkState& link;
  const Delivery& delivery;
  double link_price = 0;
};

/// In the words of the public API: on top of `before`, the sums of earlier connections. Any thread.
[[nodiscard]] Observation observation(const Observation& before, const Observed& now);

}  // namespace adoc
