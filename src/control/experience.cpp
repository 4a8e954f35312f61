#include "control/experience.hpp"

#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

#include "control/level_model.hpp"

namespace adoc {
namespace {

constexpr std::string_view kTitle = "adoc experience 1 ";

/// At least what is ever learned: what is out of these bounds was not written by us.
constexpr double kLeastRate = 1;
constexpr double kMostRate = 1e12;
constexpr double kMostPace = 1e12;
constexpr double kMostLog = 50;
constexpr double kMostBytes = 1e9;
constexpr double kMostSum = 1e5;

bool within(double value, double low, double high) { return value >= low && value <= high; }

/// Reads the words of one line; ok() once all of them were as they should be.
class Line {
 public:
  explicit Line(const std::string& text) : words_(text) {
    words_.imbue(std::locale::classic());
    words_ >> name_;
  }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  Line& number(double& to, double low, double high) {
    ok_ = ok_ && (words_ >> to) && within(to, low, high);
    return *this;
  }
  template <typename Index>
  Line& index(Index& to, std::size_t count) {
    long long value = -1;
    ok_ = ok_ && (words_ >> value) && value >= 0 && static_cast<unsigned long long>(value) < count;
    to = static_cast<Index>(value);
    return *this;
  }
  [[nodiscard]] bool ends() {
    std::string more;
    return ok_ && !(words_ >> more);
  }

 private:
  std::istringstream words_;
  std::string name_;
  bool ok_ = true;
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
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(std::numeric_limits<double>::max_digits10);
  out << kTitle << ladder.name() << "\nlink " << link_rate << '\n';
  if (receiver.overall > 0)
    out << "receiver " << receiver.overall << ' ' << receiver.decompressing << '\n';
  out << "machine " << machine << "\nlast " << last_kind << '\n';
  for (const Kind& kind : kinds) {
    out << "kind " << kind.kind << ' ' << kind.mean_bytes << ' ' << kind.length_squares << ' '
        << kind.length_products << '\n';
    for (const Level& level : kind.levels)
      out << "level " << level.level << ' ' << level.weight << ' ' << level.log_speed << ' '
          << level.log_ratio << ' ' << level.doublings << '\n';
  }
  return out.str();
}

std::optional<Experience> Experience::decode(std::string_view text, const Ladder& ladder) {
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != std::string(kTitle).append(ladder.name()))
    return std::nullopt;
  Experience experience;
  while (std::getline(lines, line)) {
    Line words(line);
    if (!take(experience, words, ladder)) return std::nullopt;
  }
  if (experience.link_rate == 0) return std::nullopt;
  return experience;
}

}  // namespace adoc
