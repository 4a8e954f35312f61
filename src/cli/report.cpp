#include "cli/report.hpp"

#include <spdlog/fmt/fmt.h>

#include "cli/units.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {

double bytes_per_second(const Statistics& statistics) {
  return statistics.seconds > 0 ? static_cast<double>(statistics.bytes) / statistics.seconds : 0;
}

std::string entries_text(const Statistics& statistics) {
  const std::uint64_t directories = statistics.committed_directories;
  const std::uint64_t links = statistics.committed_links;
  const std::uint64_t files = statistics.committed - directories - links;
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* one, const char* many) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  if (files > 0 || directories + links == 0) add(files, "file", "files");
  if (directories > 0) add(directories, "directory", "directories");
  if (links > 0) add(links, "link", "links");
  return text;
}

std::string figures_line(const Statistics& statistics) {
  std::string line = entries_text(statistics);
  line += ", " + format_bytes(static_cast<double>(statistics.bytes));
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
  if (statistics.in_parts > 0)
    line += fmt::format(", {} waiting for other senders' parts", statistics.in_parts);
  if (statistics.incomplete > 0) line += fmt::format(", {} incomplete", statistics.incomplete);
  if (statistics.failed > 0) line += fmt::format(", {} failed", statistics.failed);
  return line;
}

std::string not_sent_line(const NotKept& not_kept) {
  if (not_kept.special == 0) return {};
  std::string line = fmt::format(
      "{} not sent, of a kind that is not (FIFO, socket or device): ",
      not_kept.special == 1 ? "1 file is" : fmt::format("{} files are", not_kept.special));
  for (const std::string& path : not_kept.special_paths)
    line += (path == not_kept.special_paths.front() ? "" : ", ") + adoc::quoted(path);
  const std::uint64_t more = not_kept.special - not_kept.special_paths.size();
  if (more > 0) line += fmt::format(" and {} more", more);
  return line;
}

std::string not_kept_line(const NotKept& not_kept) {
  std::string line;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0)
      line += fmt::format("{}{} of {}", line.empty() ? "not kept: " : ", ", what, count);
  };
  add(not_kept.owners, "other owners");
  add(not_kept.hard_links, "hard links");
  add(not_kept.attributes, "extended attributes");
  add(not_kept.access_lists, "access control lists");
  return line;
}

}  // namespace adoc::cli
