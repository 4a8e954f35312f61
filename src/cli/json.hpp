#pragma once

#include <string>

#include "adoc/lossy.hpp"
#include "adoc/observer.hpp"

namespace adoc::cli {

/// The statistics as one JSON object on one line, without the newline. Bytes of messages that are
/// not UTF-8 become U+FFFD. What was lost is among them if anything was to be.
[[nodiscard]] std::string to_json(const Statistics& statistics, const LossyTotals& lossy = {});

}  // namespace adoc::cli
