#pragma once

#include <string>

#include "adoc/levels.hpp"

namespace adoc::cli {

/// What adoc-send --list-levels PATH prints: the measurements, and for each link the level that
/// they speak for, with the packets and chunks of the papers' models.
[[nodiscard]] std::string level_table(const std::string& path, const LevelFigures& figures);

}  // namespace adoc::cli
