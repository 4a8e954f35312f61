#include "cli/nearest_word.hpp"

#include <algorithm>

namespace adoc::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row by row of the table of distances between the beginnings of both.
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last.back();
}

std::optional<std::string> nearest_word(std::string_view typed,
                                        const std::vector<std::string>& words) {
  constexpr std::size_t kShortest = 2;  // a single letter is near to anything
  constexpr std::size_t kLongest = 32;  // no option has more
  if (typed.size() < kShortest || typed.size() > kLongest) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& word : words) {
    const std::size_t distance = word.starts_with(typed) ? 1 : edit_distance(typed, word);
    if (distance >= least) continue;
    least = distance;
    nearest = word;
  }
  return nearest;
}

}  // namespace adoc::cli
