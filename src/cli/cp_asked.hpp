#pragma once

#include <string>
#include <vector>

#include "adoc/options.hpp"
#include "cli/cp_options.hpp"
#include "cli/cp_paths.hpp"

namespace adoc::cli {

/// What a far side that was asked for these paths, or patterns, may send to this
/// destination.
[[nodiscard]] Asked asked_for(const CpCommand& command, const std::vector<std::string>& paths,
                              const Destination& destination);

}  // namespace adoc::cli
