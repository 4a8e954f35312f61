#include "cli/progress_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/columns.hpp"
#include "cli/units.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

constexpr std::size_t kShortestBar = 10;
constexpr std::size_t kLongestBar = 40;
constexpr std::size_t kShortestName = 8;
/// Room that a name has before figures of less interest.
constexpr std::size_t kUsualName = 24;

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

/// "3 of 12 files"; nothing for a single one, whose name says as much.
std::string files_done(const Progress& progress) {
  if (progress.files_found == 0 || (progress.all_found && progress.files_found == 1)) return {};
  return fmt::format("{} of {}{} files", progress.files_done, progress.files_found,
                     progress.all_found ? "" : "+");
}

/// What a line says before any figure, in the order of urgency.
std::vector<std::string> states(const ProgressView& view) {
  const Progress& progress = view.progress;
  std::vector<std::string> states;
  if (!view.waiting_for.empty()) states.push_back(view.waiting_for);
  if (progress.reconnecting > 0)
    states.push_back(fmt::format("connecting again, attempt {}", progress.reconnecting));
  if (progress.flushing && view.seconds == 0) states.emplace_back("flushing");
  return states;
}

std::string resumed(const Progress& progress) {
  if (progress.resumed_bytes == 0) return {};
  return "resuming at " + format_bytes(static_cast<double>(progress.resumed_bytes));
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
  if (progress.queue_position != 0) return first_columns(place_text(progress), width);
  if (!view.waiting_for.empty() && progress.raw_bytes == 0)
    return first_columns(view.waiting_for, width);

  std::string line = bounded ? fmt::format("{:>4}", percent(progress)) : "";
  const std::size_t bar_room = bounded ? kShortestBar + 1 : 0;
  std::string figures;
  std::size_t name_room = 0;
  const auto left = [&] {
    const std::size_t taken = line.size() + bar_room + columns_of(figures) + name_room;
    return width > taken ? width - taken : 0;
  };
  // What matters least comes last and is the first to go.
  bool fits = true;
  const auto add = [&](const std::string& part) {
    fits = fits && (part.empty() || columns_of(part) + 2 <= left());
    if (fits && !part.empty()) figures += "  " + part;
  };
  for (const std::string& state : states(view)) add(state);
  add(fmt::format("{:>9}", bytes_done(progress, " / ")));
  add(fmt::format("{:>9}", format_rate(view.raw_bytes_per_second)));
  if (view.seconds > 0)
    add("in " + format_seconds(view.seconds));
  else if (bounded && !progress.flushing)
    add("ETA " + time_left(view));
  const std::string name = view.seconds > 0 ? "" : printable(view.file);
  const std::size_t files_room = files_done(progress).size() + 2;
  if (!name.empty() && left() >= files_room + kShortestName + 2)
    name_room = std::min({columns_of(name), kUsualName, left() - files_room - 2}) + 2;
  add(files_done(progress));
  if (view.seconds == 0) add(resumed(progress));
  add(format_ratio(progress.raw_bytes, progress.wire_bytes));
  add(fmt::format("level {:<2}", progress.level));
  add(fmt::format("wire {:>9}", format_rate(view.wire_bytes_per_second)));
  if (std::exchange(name_room, 0) != 0) figures += "  " + last_columns(name, left() - 2);
  if (bounded && line.size() + 1 + kShortestBar + columns_of(figures) <= width) {
    const std::size_t room = width - line.size() - 1 - columns_of(figures);
    line += ' ';
    line += draw_bar(fraction_done(progress), std::min(room, kLongestBar));
  }
  return first_columns(line + figures, width);
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
  const auto add = [&line](const std::string& part) {
    if (!part.empty()) line += ", " + part;
  };
  if (bounded && !progress.flushing) add(time_left(view) + " left");
  add(files_done(progress));
  add(resumed(progress));
  for (const std::string& state : states(view)) add(state);
  if (!view.file.empty() && !progress.flushing) add("now " + adoc::quoted(view.file));
  return line;
}

}  // namespace adoc::cli
