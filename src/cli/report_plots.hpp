#pragma once

#include <string>
#include <vector>

#include "cli/series.hpp"
#include "cli/slots.hpp"

namespace adoc::cli {

/// All that is drawn over time, as HTML: figures one below the other that have one time axis, the
/// values of the slots for the script, and the place where it tells them.
[[nodiscard]] std::string plots(const Series& series, const std::vector<Slot>& slots);

}  // namespace adoc::cli
