#include "control/experience.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "control/level_model.hpp"

namespace adoc {
namespace {

constexpr std::string_view kTitle = "adoc experience 3 ";

/// At least what is ever learned: what is out of these bounds was not written by us.
constexpr double kLeastRate = 1;
constexpr double kMostRate = 1e12;
constexpr double kMostPace = 1e12;
constexpr double kMostLog = 50;
constexpr double kMostBytes = 1e9;
constexpr double kMostSum = 1e5;

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

bool take(Experience& experience, Line& line, const Ladder& ladder) {
  if (line.name() == "link") return line.number(experience.link_rate, kLeastRate, kMostRate).ends();
  if (line.name() == "receiver")
    return line.number(experience.receiver.overall, 0, kMostPace)
        .number(experience.receiver.decompressing, 0, kMostPace)
        .ends();
  if (line.name() == "machine") return line.number(experience.machine, -kMostLog, kMostLog).ends();
  if (line.name() == "last") return line.index(experience.last_kind, LevelModel::kKinds).ends();
  if (line.name() == "kind") {
    if (experience.kinds.size() == LevelModel::kKinds) return false;
    Experience::Kind& kind = experience.kinds.emplace_back();
    return line.index(kind.kind, LevelModel::kKinds)
        .number(kind.mean_bytes, 0, kMostBytes)
        .number(kind.length_squares, 0, kMostSum)
        .number(kind.length_products, -kMostSum, kMostSum)
        .number(kind.spread, 0, kMostSum)
        .ends();
  }
  if (line.name() != "level" || experience.kinds.empty()) return false;
  const auto levels = static_cast<std::size_t>(ladder.top()) + 1;
  auto& seen = experience.kinds.back().levels;
  if (seen.size() == levels) return false;
  Experience::Level& level = seen.emplace_back();
  return line.index(level.level, levels)
      .number(level.weight, 0, Experience::kMostWeight)
      .number(level.log_speed, -kMostLog, kMostLog)
      .number(level.log_ratio, -kMostLog, kMostLog)
      .number(level.doublings, -kMostLog, kMostLog)
      .ends();
}

}  // namespace

std::string Experience::encode(const Ladder& ladder) const {
  Lines lines;
  lines.line(std::string(kTitle).append(ladder.name()));
  lines.line("link", link_rate);
  if (receiver.overall > 0) lines.line("receiver", receiver.overall, receiver.decompressing);
  lines.line("machine", machine);
  lines.line("last", last_kind);
  for (const Kind& kind : kinds) {
    lines.line("kind", kind.kind, kind.mean_bytes, kind.length_squares, kind.length_products,
               kind.spread);
    for (const Level& level : kind.levels)
      lines.line("level", level.level, level.weight, level.log_speed, level.log_ratio,
                 level.doublings);
  }
  return std::move(lines).text();
}

std::optional<Experience> Experience::decode(std::string_view text, const Ladder& ladder) {
  if (take_until(text, '\n') != std::string(kTitle).append(ladder.name())) return std::nullopt;
  Experience experience;
  while (!text.empty()) {
    Line line(take_until(text, '\n'));
    if (!take(experience, line, ladder)) return std::nullopt;
  }
  if (experience.link_rate == 0) return std::nullopt;
  return experience;
}

}  // namespace adoc
