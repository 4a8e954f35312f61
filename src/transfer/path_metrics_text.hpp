#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codec/ladder.hpp"
#include "control/path_metrics.hpp"

namespace adoc {

/// As a text that decode_path_metrics() reads, lines of words:
///
///     adoc path-metrics 8 LADDER
///     link LOG_RATE DEVIATION RAW_BYTES
///     contention FACTOR
///     receiver OVERALL DECOMPRESSING       (only if it ever was what limits)
///     class ENTROPY_BITS RANDOM LENGTH_LOSS VARIANCE
///     level LEVEL LOG_SECONDS VARIANCE STRENGTH VARIANCE      (of the class before)
[[nodiscard]] std::string encode(const PathMetrics& path_metrics, const Ladder& ladder);
/// Nothing for what was not written so, by this version, for this ladder, or has a figure that no
/// transfer gives.
[[nodiscard]] std::optional<PathMetrics> decode_path_metrics(std::string_view text,
                                                             const Ladder& ladder);

}  // namespace adoc
