#pragma once

#include <string>
#include <vector>

#include "adoc/options.hpp"

namespace adoc::cli {

/// Whether what is below these paths is at most 1 MiB in at most 256 files and directories: ssh has
/// carried that before a connection of its own is made. Looks at no more than that, whatever is
/// there, and follows no link below the paths; what links may lead to is not little.
[[nodiscard]] bool is_little(const std::vector<std::string>& paths, const SendOptions& options);

}  // namespace adoc::cli
