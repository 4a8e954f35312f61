#pragma once

#include <cstdint>
#include <string>

#include "adoc/lossy.hpp"
#include "adoc/observer.hpp"

namespace adoc::cli {

/// The statistics as one JSON object on one line, without the newline. Bytes of messages that are
/// not UTF-8 become U+FFFD. What was lost is among them if anything was to be. `later_rate`: of a
/// link that it all is sent over later, in bytes a second; adds how long that takes. 0: none.
[[nodiscard]] std::string to_json(const Statistics& statistics, const LossyTotals& lossy = {},
                                  std::uint64_t later_rate = 0);

}  // namespace adoc::cli
