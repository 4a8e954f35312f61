#include "control/auto/gaussian.hpp"

#include <utility>

namespace adoc {

Gaussian::Gaussian(std::vector<double> mean, std::vector<double> covariance)
    : mean_(std::move(mean)), covariance_(std::move(covariance)), row_(mean_.size()) {}

double Gaussian::mean(const Sum& sum) const {
  return mean_[sum.first] + sum.second_factor * mean_[sum.second];
}

double Gaussian::variance(const Sum& sum) const {
  const double f = sum.second_factor;
  return variance(sum.first) + f * f * variance(sum.second) +
         2 * f * covariance_[sum.first * size() + sum.second];
}

void Gaussian::observe(const Sum& sum, double value, double error_variance) {
  const std::size_t n = size();
  const double total = variance(sum) + error_variance;
  if (total <= 0) return;
  const double error = value - mean(sum);
  const double* const first = &covariance_[sum.first * n];
  const double* const second = &covariance_[sum.second * n];
  for (std::size_t k = 0; k < n; ++k) row_[k] = first[k] + sum.second_factor * second[k];
  for (std::size_t a = 0; a < n; ++a) {
    const double gain = row_[a] / total;
    mean_[a] += gain * error;
    double* const to = &covariance_[a * n];
    for (std::size_t b = 0; b < n; ++b) to[b] -= gain * row_[b];
  }
}

void Gaussian::widen(double part, const Gaussian& prior) {
  for (std::size_t i = 0; i < covariance_.size(); ++i)
    covariance_[i] += part * prior.covariance_[i];
}

}  // namespace adoc
