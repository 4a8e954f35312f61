#include "cli/progress_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/units.hpp"

namespace adoc::cli {
namespace {

constexpr std::size_t kShortestBar = 10;
constexpr std::size_t kLongestBar = 40;

/// Between 0 and 1. A source that grows while it is read would otherwise pass 100 %.
double fraction_done(const Progress& progress) {
  if (progress.total_bytes == 0) return 0;
  return std::min(
      1.0, static_cast<double>(progress.raw_bytes) / static_cast<double>(progress.total_bytes));
}

/// Rounded down: 100 % is the end and nothing before it.
std::string percent(const Progress& progress) {
  return fmt::format("{:.0f}%", std::floor(fraction_done(progress) * 100));
}

std::string time_left(const ProgressView& view) {
  const Progress& progress = view.progress;
  if (view.raw_bytes_per_second <= 0) return format_remaining(-1);
  const std::uint64_t left =
      progress.total_bytes - std::min(progress.raw_bytes, progress.total_bytes);
  return format_remaining(static_cast<double>(left) / view.raw_bytes_per_second);
}

std::string draw_bar(double fraction, std::size_t columns) {
  const std::size_t inner = columns - 2;
  const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(inner));
  std::string bar(inner, ' ');
  std::fill_n(bar.begin(), filled, '=');
  if (filled < inner) bar[filled] = '>';
  return fmt::format("[{}]", bar);
}

std::string bytes_done(const Progress& progress, const char* of) {
  std::string text = format_bytes(static_cast<double>(progress.raw_bytes));
  if (progress.total_known) {
    text += of + format_bytes(static_cast<double>(progress.total_bytes));
  }
  return text;
}

}  // namespace

std::string place_text(const Progress& progress) {
  const std::uint64_t before = progress.queue_position - 1;
  return fmt::format("waiting for its turn: {}{} {} under way",
                     before == 0 ? "the next one, " : fmt::format("{} before it, ", before),
                     progress.transfers_ahead,
                     progress.transfers_ahead == 1 ? "transfer" : "transfers");
}

std::string progress_bar(const ProgressView& view, std::size_t width) {
  const Progress& progress = view.progress;
  const bool bounded = progress.total_known && progress.total_bytes > 0;
  // What matters least comes last and is the first to go.
  std::vector<std::string> parts;
  if (progress.queue_position != 0) return place_text(progress).substr(0, width);
  if (!view.waiting_for.empty()) {
    if (progress.raw_bytes == 0) return view.waiting_for.substr(0, width);
    parts.push_back(view.waiting_for);
  }
  if (progress.reconnecting > 0)
    parts.push_back(fmt::format("connecting again, attempt {}", progress.reconnecting));
  parts.push_back(fmt::format("{:>9}", bytes_done(progress, " / ")));
  parts.push_back(fmt::format("{:>9}", format_rate(view.raw_bytes_per_second)));
  if (bounded) parts.push_back(fmt::format("ETA {}", time_left(view)));
  parts.push_back(format_ratio(progress.raw_bytes, progress.wire_bytes));
  parts.push_back(fmt::format("level {:<2}", progress.level));
  parts.push_back(fmt::format("wire {:>9}", format_rate(view.wire_bytes_per_second)));

  std::string line = bounded ? fmt::format("{:>4}", percent(progress)) : "";
  const std::size_t bar_room = bounded ? kShortestBar + 1 : 0;
  std::string figures;
  for (const std::string& part : parts) {
    if (line.size() + bar_room + figures.size() + 2 + part.size() > width) break;
    figures += "  ";
    figures += part;
  }
  if (bounded && line.size() + 1 + kShortestBar + figures.size() <= width) {
    const std::size_t room = width - line.size() - 1 - figures.size();
    line += ' ';
    line += draw_bar(fraction_done(progress), std::min(room, kLongestBar));
  }
  line += figures;
  return line.substr(0, width);
}

std::string progress_sentence(const ProgressView& view) {
  const Progress& progress = view.progress;
  const bool bounded = progress.total_known && progress.total_bytes > 0;
  if (!view.waiting_for.empty() && progress.raw_bytes == 0) return view.waiting_for;
  if (progress.queue_position != 0) return place_text(progress);
  std::string line = bounded ? percent(progress) + ", " : "";
  line +=
      fmt::format("{}, {}, {} on the wire ({}), level {}", bytes_done(progress, " of "),
                  format_rate(view.raw_bytes_per_second), format_rate(view.wire_bytes_per_second),
                  format_ratio(progress.raw_bytes, progress.wire_bytes), progress.level);
  if (bounded) line += fmt::format(", {} left", time_left(view));
  if (progress.reconnecting > 0)
    line += fmt::format(", connecting again, attempt {}", progress.reconnecting);
  if (!view.waiting_for.empty()) line += ", " + view.waiting_for;
  return line;
}

}  // namespace adoc::cli
