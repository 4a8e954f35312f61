#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace adoc {

/// What is believed of a rate in bytes a second: how likely it is to lie in each of many narrow
/// ranges, from 4 KB/s to 8 GB/s.
///
/// What is observed of a link is an interval: while it is busy what passes it, give or take what
/// buffers and shapers hide; while it waits for its sender only that it is no slower than that.
/// Such evidence cuts a distribution off at one side or both, and a link that has become another
/// one makes it have two peaks: neither is normal, so it is kept as it is.
class RateBelief {
 public:
  static constexpr double kAnyRate = std::numeric_limits<double>::infinity();

  /// Nothing is known: the logarithm is normal around a rate that few links are far from.
  RateBelief();
  /// What was remembered: the mean of the logarithm, and its deviation.
  RateBelief(double log_mean, double log_deviation);

  /// The rate was seen, for so long, to lie between these; `most` may be kAnyRate. It may be an
  /// exception, the less so the longer it was seen.
  void observe(double least, double most, double seconds);
  /// Time has passed: the rate may have wandered, or be any other.
  void drift(double seconds);

  [[nodiscard]] double log_mean() const noexcept { return log_mean_; }
  [[nodiscard]] double log_deviation() const noexcept { return log_deviation_; }

  /// A few rates that stand for all of them.
  struct Point {
    double weight = 0;  ///< of all points 1 in the sum
    double rate = 0;    ///< bytes a second
  };
  [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_; }

 private:
  static constexpr std::size_t kRanges = 106;
  using Density = std::array<double, kRanges>;

  [[nodiscard]] static double log_rate(std::size_t i) noexcept;
  [[nodiscard]] static Density normal(double log_mean, double log_deviation) noexcept;
  static void normalise(Density& density) noexcept;
  void summarise();

  Density density_{};
  double log_mean_ = 0;
  double log_deviation_ = 0;
  std::vector<Point> points_;
};

}  // namespace adoc
