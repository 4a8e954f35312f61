#pragma once

#include "cli/cp_copy.hpp"

namespace adoc::cli {

/// On this machine: as every other copy, with all of its options, over a pair of sockets.
[[nodiscard]] int copy_here(const CopySetup& setup);

}  // namespace adoc::cli
