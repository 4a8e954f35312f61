#pragma once

#include <string>

#include "cli/series.hpp"

namespace adoc::cli {

/// What a file that TraceWriter wrote tells. Throws Error(local_file): it cannot be read, or is
/// damaged, with the line.
[[nodiscard]] Series read_trace(const std::string& path);

}  // namespace adoc::cli
