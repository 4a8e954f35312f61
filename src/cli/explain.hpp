#pragma once

#include <cstdint>
#include <string>

#include "adoc/observer.hpp"
#include "cli/limits.hpp"

namespace adoc::cli {

/// What was measured of a transfer that is over.
struct Outcome {
  double seconds = 0;
  std::uint64_t bytes = 0;       ///< raw, that crossed
  std::uint64_t wire_bytes = 0;  ///< as which
  LimitShares limits{};          ///< over all of its time
  Observation sums{};            ///< at its end
  double random_share = 0;       ///< of the raw bytes, that of blocks which do not shrink
  bool standard_input = false;   ///< is what was sent
  bool failed = false;           ///< it ended before all had crossed
};

struct Explanation {
  std::string limited;  ///< a sentence: what limited the transfer, or until it failed
  std::string faster;   ///< another one: what would make it faster; of one that failed none
};

/// Of what was measured, and nothing else.
[[nodiscard]] Explanation explain(const Outcome& outcome);

/// What to do about the socket buffers of one of the systems, where these limited a transfer that
/// took a while; else empty. Of its last observation.
[[nodiscard]] std::string buffer_advice(const Observation& sums);

}  // namespace adoc::cli
