#pragma once

#include <string>
#include <vector>

#include "cli/series.hpp"
#include "cli/slots.hpp"

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

/// All that is drawn over time, as HTML: figures one below the other that have one time axis, the
/// values of the slots for the script, and the place where it tells them.
[[nodiscard]] std::string plots(const Series& series, const std::vector<Slot>& slots);

}  // namespace adoc::cli
