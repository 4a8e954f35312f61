#include "transfer/path_metrics_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <system_error>

namespace adoc {
namespace {

constexpr std::string_view kTitle = "adoc path-metrics 8 ";

/// What is out of these bounds was not written by us, and could not be reckoned with.
constexpr double kMost = 1e12;
constexpr double kMostBytes = 1e18;
constexpr double kMostLog = 50;
constexpr std::size_t kMostClasses = 20;

/// Takes what is in front of the first `end`, or all, off `text`.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

/// Reads the figures of one line; ends() if all of them were as they should be.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text), name_(take_until(rest_, ' ')) {}
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

  Line& figure(double& to, double low, double high) {
    const std::string_view word = take_until(rest_, ' ');
    const char* const end = word.data() + word.size();
    const auto [read_to, failure] = std::from_chars(word.data(), end, to);
    ok_ = ok_ && failure == std::errc() && read_to == end && to >= low && to <= high;
    return *this;
  }
  template <typename Index>
  Line& index(Index& to, std::size_t least, std::size_t most) {
    double value = 0;
    figure(value, static_cast<double>(least), static_cast<double>(most));
    ok_ = ok_ && value == std::floor(value);
    if (ok_) to = static_cast<Index>(value);
    return *this;
  }
  Line& estimate(PathMetrics::Estimate& to) {
    return figure(to.mean, -kMostLog, kMostLog).figure(to.variance, 0, kMost);
  }
  [[nodiscard]] bool ends() const noexcept { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  std::string_view name_;
  bool ok_ = true;
};

void append_line(std::string& text, std::string_view name, std::initializer_list<double> figures) {
  text += name;
  for (const double figure : figures) {
    std::array<char, 32> digits{};
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), figure).ptr;
    (text += ' ').append(digits.data(), end);
  }
  text += '\n';
}

bool take_line(PathMetrics& to, Line& line, const Ladder& ladder) {
  if (line.name() == "link")
    return line.figure(to.log_rate, 0, kMostLog)
        .figure(to.log_rate_deviation, 0, kMostLog)
        .figure(to.bytes, 0, kMostBytes)
        .ends();
  if (line.name() == "contention") return line.figure(to.contention, 1, kMost).ends();
  if (line.name() == "receiver")
    return line.figure(to.receiver.overall, 0, kMost)
        .figure(to.receiver.decompressing, 0, kMost)
        .ends();
  if (line.name() == "class" && to.classes.size() < kMostClasses) {
    PathMetrics::Class& its = to.classes.emplace_back();
    return line.figure(its.entropy_bits, 0, 8)
        .index(its.random, 0, 1)
        .estimate(its.length_loss)
        .ends();
  }
  if (line.name() != "level" || to.classes.empty()) return false;
  const auto levels = static_cast<std::size_t>(ladder.last());
  auto& seen = to.classes.back().levels;
  if (seen.size() == levels) return false;
  PathMetrics::Level& its = seen.emplace_back();
  return line.index(its.level, 1, levels).estimate(its.log_seconds).estimate(its.strength).ends();
}

}  // namespace

std::string encode(const PathMetrics& path_metrics, const Ladder& ladder) {
  std::string text = std::string(kTitle).append(ladder.name()) + '\n';
  append_line(text, "link",
              {path_metrics.log_rate, path_metrics.log_rate_deviation, path_metrics.bytes});
  append_line(text, "contention", {path_metrics.contention});
  const PathMetrics::Receiver& receiver = path_metrics.receiver;
  if (receiver.overall > 0)
    append_line(text, "receiver", {receiver.overall, receiver.decompressing});
  for (const PathMetrics::Class& its : path_metrics.classes) {
    const auto& [mean, variance] = its.length_loss;
    append_line(text, "class", {its.entropy_bits, its.random ? 1.0 : 0.0, mean, variance});
    for (const PathMetrics::Level& level : its.levels)
      append_line(text, "level",
                  {static_cast<double>(level.level), level.log_seconds.mean,
                   level.log_seconds.variance, level.strength.mean, level.strength.variance});
  }
  return text;
}

std::optional<PathMetrics> decode_path_metrics(std::string_view text, const Ladder& ladder) {
  if (take_until(text, '\n') != std::string(kTitle).append(ladder.name())) return std::nullopt;
  PathMetrics path_metrics;
  while (!text.empty()) {
    Line line(take_until(text, '\n'));
    if (!take_line(path_metrics, line, ladder)) return std::nullopt;
  }
  if (path_metrics.log_rate == 0) return std::nullopt;
  return path_metrics;
}

}  // namespace adoc
