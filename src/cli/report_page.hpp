#pragma once

#include <optional>
#include <string>

#include "cli/explain.hpp"
#include "cli/series.hpp"

namespace adoc::cli {

/// What is known of a transfer that is over.
struct Reported {
  std::string title;  ///< any bytes
  std::string about;  ///< a line below it: by what, and when
  const Series& series;
  double seconds = 0;                      ///< that it took; less than was seen of it: as long
  std::optional<Statistics> statistics{};  ///< if more is known than the series tells
  bool standard_input = false;             ///< is what was sent
  bool failed = false;                     ///< it ended before all had crossed
};

/// Of the same time as what is drawn.
[[nodiscard]] Explanation explain(const Reported& reported);

/// One HTML page that needs nothing else, of a size that does not depend on the transfer's.
[[nodiscard]] std::string report_page(const Reported& reported);

}  // namespace adoc::cli
