#pragma once

#include <spdlog/common.h>

namespace adoc::cli {

enum class ProgressMode {
  automatic,  ///< a bar when standard error is a terminal and we are in its foreground, else
              ///< nothing
  always,     ///< a bar there, plain lines elsewhere
  never,
};

/// What every program is told about its own output.
struct OutputOptions {
  bool json = false;
  ProgressMode progress = ProgressMode::automatic;
  spdlog::level::level_enum log_level = spdlog::level::info;
  bool lists_unchanged = false;  ///< -vv: also entries that were there already
};

}  // namespace adoc::cli
