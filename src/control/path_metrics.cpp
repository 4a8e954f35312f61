#include "control/path_metrics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace adoc {
namespace {

constexpr std::string_view kTitle = "adoc path-metrics 5 ";

/// At least what is ever learned: what is out of these bounds was not written by us.
constexpr double kMostLog = 50;
constexpr double kMostVariance = 100;
constexpr double kMostPace = 1e12;
constexpr double kMostBits = 8;
constexpr double kMostBytes = 1e18;
constexpr std::size_t kMostClasses = 20;

bool within(double value, double low, double high) { return value >= low && value <= high; }

/// Takes what is in front of the first `end`, or all, off `text`.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

/// Reads the words of one line; ends() if all of them were as they should be.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text), name_(take_until(rest_, ' ')) {}
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

  Line& number(double& to, double low, double high) {
    ok_ = word(to) && within(to, low, high);
    return *this;
  }
  template <typename Index>
  Line& index(Index& to, std::size_t count) {
    std::size_t value = 0;
    ok_ = word(value) && value < count;
    to = static_cast<Index>(value);
    return *this;
  }
  [[nodiscard]] bool ends() const noexcept { return ok_ && rest_.empty(); }

 private:
  template <typename Value>
  bool word(Value& to) {
    const std::string_view word = take_until(rest_, ' ');
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), to);
    return ok_ && failure == std::errc() && end == word.data() + word.size();
  }

  std::string_view rest_;
  std::string_view name_;
  bool ok_ = true;
};

/// Writes the words of lines.
class Lines {
 public:
  template <typename... Values>
  void line(std::string_view name, Values... values) {
    text_ += name;
    (word(values), ...);
    text_ += '\n';
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  template <typename Value>
  void word(Value value) {
    std::array<char, 32> digits{};
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text_ += ' ';
    text_.append(digits.data(), end);
  }

  std::string text_;
};

Line& estimate(Line& line, PathMetrics::Estimate& to) {
  return line.number(to.mean, -kMostLog, kMostLog).number(to.variance, 0, kMostVariance);
}

bool take(PathMetrics& path_metrics, Line& line, const Ladder& ladder) {
  if (line.name() == "link")
    return line.number(path_metrics.log_rate, 0, kMostLog)
        .number(path_metrics.log_rate_deviation, 0, kMostLog)
        .number(path_metrics.bytes, 0, kMostBytes)
        .ends();
  if (line.name() == "receiver")
    return line.number(path_metrics.receiver.overall, 0, kMostPace)
        .number(path_metrics.receiver.decompressing, 0, kMostPace)
        .ends();
  if (line.name() == "class") {
    if (path_metrics.classes.size() == kMostClasses) return false;
    PathMetrics::Class& its = path_metrics.classes.emplace_back();
    return estimate(line.number(its.entropy_bits, 0, kMostBits).index(its.random, 2),
                    its.length_loss)
        .ends();
  }
  if (line.name() != "level" || path_metrics.classes.empty()) return false;
  const auto levels = static_cast<std::size_t>(ladder.last()) + 1;
  auto& seen = path_metrics.classes.back().levels;
  if (seen.size() == levels) return false;
  PathMetrics::Level& level = seen.emplace_back();
  return estimate(estimate(line.index(level.level, levels), level.log_seconds), level.strength)
             .ends() &&
         level.level > 0;
}

}  // namespace

std::string PathMetrics::encode(const Ladder& ladder) const {
  Lines lines;
  lines.line(std::string(kTitle).append(ladder.name()));
  lines.line("link", log_rate, log_rate_deviation, bytes);
  if (receiver.overall > 0) lines.line("receiver", receiver.overall, receiver.decompressing);
  for (const Class& its : classes) {
    lines.line("class", its.entropy_bits, static_cast<int>(its.random), its.length_loss.mean,
               its.length_loss.variance);
    for (const Level& level : its.levels)
      lines.line("level", level.level, level.log_seconds.mean, level.log_seconds.variance,
                 level.strength.mean, level.strength.variance);
  }
  return std::move(lines).text();
}

std::optional<PathMetrics> PathMetrics::decode(std::string_view text, const Ladder& ladder) {
  if (take_until(text, '\n') != std::string(kTitle).append(ladder.name())) return std::nullopt;
  PathMetrics path_metrics;
  while (!text.empty()) {
    Line line(take_until(text, '\n'));
    if (!take(path_metrics, line, ladder)) return std::nullopt;
  }
  if (path_metrics.log_rate == 0) return std::nullopt;
  return path_metrics;
}

}  // namespace adoc
