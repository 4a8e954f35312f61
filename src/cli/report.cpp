#include "cli/report.hpp"

#include <spdlog/fmt/fmt.h>

#include "cli/units.hpp"

namespace adoc::cli {

double bytes_per_second(const Statistics& statistics) {
  return statistics.seconds > 0 ? static_cast<double>(statistics.bytes) / statistics.seconds : 0;
}

std::string figures_line(const Statistics& statistics) {
  std::string line =
      fmt::format("{} {}, {}", statistics.committed, statistics.committed == 1 ? "file" : "files",
                  format_bytes(static_cast<double>(statistics.bytes)));
  // Without contents, what went over the wire is metadata, and a ratio or a rate says nothing.
  if (statistics.bytes > 0) {
    line += fmt::format(
        " as {} ({}) in {}, {}", format_bytes(static_cast<double>(statistics.wire_bytes)),
        format_ratio(statistics.bytes, statistics.wire_bytes), format_seconds(statistics.seconds),
        format_rate(bytes_per_second(statistics)));
  }
  if (statistics.resumed_bytes > 0)
    line +=
        fmt::format(", {} resumed", format_bytes(static_cast<double>(statistics.resumed_bytes)));
  if (statistics.retries > 0)
    line +=
        fmt::format(", connected again {}",
                    statistics.retries == 1 ? "once" : fmt::format("{} times", statistics.retries));
  if (statistics.skipped > 0) line += fmt::format(", {} skipped", statistics.skipped);
  if (statistics.failed > 0) line += fmt::format(", {} failed", statistics.failed);
  return line;
}

}  // namespace adoc::cli
