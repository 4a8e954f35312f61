#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace adoc::sim {

/// How data differ along a file, the same for whoever reads it: an Ornstein-Uhlenbeck process of
/// mean 0 and deviation 1, in which places a megabyte apart are alike by 1/e.
class DataPath {
 public:
  static constexpr double kStepBytes = 125e3;

  explicit DataPath(std::uint64_t seed) : random_(seed) {}

  /// In the mean over these bytes.
  [[nodiscard]] double mean(double from, double to) {
    if (to <= from) to = from + 1;
    return (sum_to(to) - sum_to(from)) / (to - from) * kStepBytes;
  }

 private:
  static constexpr double kAlikeBytes = 1e6;

  /// Over steps and a part of one.
  [[nodiscard]] double sum_to(double bytes) {
    const double steps = bytes / kStepBytes;
    const auto whole = static_cast<std::size_t>(steps);
    while (values_.size() <= whole) extend();
    return sums_[whole] + (steps - static_cast<double>(whole)) * values_[whole];
  }

  void extend() {
    const double kept = values_.empty() ? 0 : std::exp(-kStepBytes / kAlikeBytes);
    const double before = values_.empty() ? 0 : values_.back();
    sums_.push_back(values_.empty() ? 0 : sums_.back() + before);
    values_.push_back(kept * before + std::sqrt(1 - kept * kept) * normal_(random_));
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_{};
  std::vector<double> values_{};  ///< of each step
  std::vector<double> sums_{};    ///< of all before it
};

}  // namespace adoc::sim
