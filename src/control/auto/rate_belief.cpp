#include "control/auto/rate_belief.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "control/auto/params.hpp"

namespace adoc {
namespace {

using namespace params;

constexpr double kLogLeast = 8.3178;  // of 4 KB/s
constexpr double kLogStep = 0.2 * 0.6931;

/// Between these parts of the whole lies what one point stands for; the outer ones are narrow, so
/// that unlikely rates with dear consequences are weighed.
constexpr std::array kQuantiles{0.0, 0.03, 0.15, 0.35, 0.65, 0.85, 0.97, 1.0};

/// How likely a normal error is to be less than this many deviations; to within 0.01.
double up_to(double deviations) { return 1 / (1 + std::exp(-1.702 * deviations)); }

}  // namespace

double RateBelief::log_rate(std::size_t i) noexcept {
  return kLogLeast + static_cast<double>(i) * kLogStep;
}

void RateBelief::normalise(Density& density) noexcept {
  const double sum = std::accumulate(density.begin(), density.end(), 0.0);
  for (double& part : density) part /= sum;
}

RateBelief::Density RateBelief::normal(double log_mean, double log_deviation) noexcept {
  Density density{};
  for (std::size_t i = 0; i < kRanges; ++i) {
    const double off = (log_rate(i) - log_mean) / log_deviation;
    density[i] = std::exp(-off * off / 2);
  }
  normalise(density);
  return density;
}

RateBelief::RateBelief() : density_(normal(kPriorLogMean, kPriorDeviation)) { summarise(); }

RateBelief::RateBelief(double log_mean, double log_deviation) : RateBelief() {
  // A second has passed since, or more.
  const Density same = normal(log_mean, std::hypot(log_deviation, kRateDrift));
  for (std::size_t i = 0; i < kRanges; ++i)
    density_[i] = (1 - kException) * same[i] + kException * density_[i];
  summarise();
}

void RateBelief::observe(double least, double most, double seconds) {
  const double outlier = std::pow(kException, std::max(1.0, seconds / kWakeSeconds));
  const double low = std::log(std::max(least, 1.0));
  const double high = std::log(std::max(most, 1.0));
  for (std::size_t i = 0; i < kRanges; ++i) {
    double likely = up_to((log_rate(i) - low) / kRateNoise);
    if (most != kAnyRate) likely *= up_to((high - log_rate(i)) / kRateNoise);
    density_[i] *= outlier + (1 - outlier) * likely;
  }
  summarise();
}

void RateBelief::drift(double seconds) {
  static const Density kPrior = normal(kPriorLogMean, kPriorDeviation);
  const double spread =
      std::min(0.25, kRateDrift * kRateDrift * seconds / (2 * kLogStep * kLogStep));
  const double jumps = std::min(1.0, kRateJumps * seconds);
  double before = density_[0];
  for (std::size_t i = 0; i < kRanges; ++i) {
    const double own = density_[i];
    const double after = i + 1 < kRanges ? density_[i + 1] : own;
    const double wandered = own + spread * (before - 2 * own + after);
    density_[i] = (1 - jumps) * wandered + jumps * kPrior[i];
    before = own;
  }
  summarise();
}

void RateBelief::summarise() {
  normalise(density_);
  log_mean_ = 0;
  for (std::size_t i = 0; i < kRanges; ++i) log_mean_ += density_[i] * log_rate(i);
  double variance = 0;
  for (std::size_t i = 0; i < kRanges; ++i) {
    const double off = log_rate(i) - log_mean_;
    variance += density_[i] * off * off;
  }
  log_deviation_ = std::sqrt(variance);
  points_.clear();
  std::size_t range = 0;
  double left = density_[0];  // of the range, not yet part of a point
  for (std::size_t q = 1; q < kQuantiles.size(); ++q) {
    double wanted = kQuantiles[q] - kQuantiles[q - 1];
    double weight = 0;
    double sum = 0;
    while (wanted > 1e-12) {
      const double taken = std::min(wanted, left);
      weight += taken;
      sum += taken * log_rate(range);
      wanted -= taken;
      left -= taken;
      if (left > 0) continue;
      if (range + 1 == kRanges) break;
      left = density_[++range];
    }
    if (weight <= 0) continue;
    const double rate = std::exp(sum / weight);
    // Where all is known, one will do.
    if (!points_.empty() && rate < points_.back().rate * 1.1)
      points_.back().weight += weight;
    else
      points_.push_back({.weight = weight, .rate = rate});
  }
}

}  // namespace adoc
