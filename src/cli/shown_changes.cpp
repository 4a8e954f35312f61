#include "cli/shown_changes.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>

#include "cli/html.hpp"

namespace adoc::cli {
namespace {

/// What a finger can tell apart on a small screen.
constexpr std::size_t kMostChanges = 60;

}  // namespace

std::vector<ShownChange> shown_changes(const Series& series, double seconds) {
  std::vector<ShownChange> shown;
  std::size_t cell = 0;
  for (const Series::Bin& bin : series.bins()) {
    if (!bin.change) continue;
    const double part = seconds > 0 ? std::clamp(bin.change->time_seconds / seconds, 0.0, 1.0) : 0;
    const auto its = static_cast<std::size_t>(part * kMostChanges);
    if (shown.empty() || its != cell) {
      shown.push_back({*bin.change, bin.changes - 1});
      cell = its;
      continue;
    }
    ShownChange& last = shown.back();
    last.more += bin.changes;
    if (std::abs(bin.change->to - bin.change->from) > std::abs(last.change.to - last.change.from))
      last.change = *bin.change;
  }
  return shown;
}

std::string in_words(const ShownChange& shown, double seconds) {
  const Series::Change& change = shown.change;
  std::string text =
      fmt::format("{}, block {}: level {} to {} ({}), {}", time_text(change.time_seconds, seconds),
                  change.block, change.from, change.to, change.codec, change.reason);
  if (shown.more > 0)
    text += fmt::format("; {} more change{} about then", shown.more, shown.more == 1 ? "" : "s");
  return text;
}

}  // namespace adoc::cli
