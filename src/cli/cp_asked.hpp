#pragma once

#include <string>
#include <vector>

#include "adoc/options.hpp"
#include "cli/cp_options.hpp"

namespace adoc::cli {

/// What a far side that was asked for these paths, or patterns, may send. `name` is what the one
/// source is to be called here; empty: its own name.
[[nodiscard]] Asked asked_for(const CpCommand& command, const std::vector<std::string>& paths,
                              const std::string& name);

}  // namespace adoc::cli
