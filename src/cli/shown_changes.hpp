#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/series.hpp"

namespace adoc::cli {

/// Changes of a level, as many as can be told apart in a picture: the furthest of each part of the
/// time, and how many it stands for.
struct ShownChange {
  Series::Change change;
  std::uint64_t more = 0;  ///< changes in the same part
};
[[nodiscard]] std::vector<ShownChange> shown_changes(const Series& series, double seconds);
/// "3.20 s, block 120: level 3 to 5 (zstd), least cost; 4 more changes about then".
[[nodiscard]] std::string in_words(const ShownChange& shown, double seconds);

}  // namespace adoc::cli
