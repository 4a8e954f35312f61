#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace adoc {

/// A set of numbers as the runs that it consists of: neither empty nor touching each other. Takes
/// memory for each run.
class Intervals {
 public:
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    bool operator==(const Run&) const = default;
  };

  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }
  /// How many numbers there are.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// The lowest run. Not of an empty set.
  [[nodiscard]] Run front() const noexcept { return {runs_.begin()->first, runs_.begin()->second}; }

  /// Behind the highest number; 0 of an empty set.
  [[nodiscard]] std::uint64_t end() const noexcept {
    return runs_.empty() ? 0 : runs_.rbegin()->second;
  }

  /// Some of these may be in it already.
  void add(Run run) {
    if (run.begin >= run.end) return;
    auto next = runs_.lower_bound(run.begin);
    if (next != runs_.begin() && std::prev(next)->second >= run.begin) --next;
    while (next != runs_.end() && next->first <= run.end) {
      run.begin = std::min(run.begin, next->first);
      run.end = std::max(run.end, next->second);
      count_ -= next->second - next->first;
      next = runs_.erase(next);
    }
    runs_.emplace(run.begin, run.end);
    count_ += run.end - run.begin;
  }

  void remove_below(std::uint64_t end) {
    while (!runs_.empty() && runs_.begin()->first < end) {
      const Run run = front();
      runs_.erase(runs_.begin());
      count_ -= run.end - run.begin;
      if (run.end > end) add({end, run.end});
    }
  }

  /// From `from` to `to` as far as all of that is in it, or none of it.
  struct Piece {
    std::uint64_t end = 0;
    bool is_in = false;
  };
  [[nodiscard]] Piece piece(std::uint64_t from, std::uint64_t to) const {
    const auto next = runs_.upper_bound(from);
    if (next != runs_.begin() && std::prev(next)->second > from)
      return {std::min(std::prev(next)->second, to), true};
    return {next != runs_.end() ? std::min(next->first, to) : to, false};
  }

 private:
  std::map<std::uint64_t, std::uint64_t> runs_;  ///< end by begin
  std::uint64_t count_ = 0;
};

}  // namespace adoc
