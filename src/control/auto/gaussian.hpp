#pragma once

#include <cstddef>
#include <vector>

namespace adoc {

/// A belief in several variables: their joint normal distribution, moved by observations of one or
/// two of them at a time (a Kalman filter whose state stands still).
class Gaussian {
 public:
  /// `covariance` is a square matrix, row by row.
  Gaussian(std::vector<double> mean, std::vector<double> covariance);

  [[nodiscard]] std::size_t size() const noexcept { return mean_.size(); }
  [[nodiscard]] double mean(std::size_t i) const { return mean_[i]; }
  [[nodiscard]] double variance(std::size_t i) const { return covariance_[i * size() + i]; }

  /// A sum of variables, each with its factor.
  struct Sum {
    std::size_t first = 0;
    std::size_t second = 0;
    double second_factor = 0;  ///< 0: the first variable alone
  };
  [[nodiscard]] double mean(const Sum& sum) const;
  [[nodiscard]] double variance(const Sum& sum) const;

  /// The sum was seen to be `value`, with an error of this variance.
  void observe(const Sum& sum, double value, double error_variance);
  /// Less is known than was thought: adds so much of the prior's covariance, of the same size.
  void widen(double part, const Gaussian& prior);

 private:
  std::vector<double> mean_;
  std::vector<double> covariance_;
  std::vector<double> row_;  ///< covariances with the sum that is observed
};

}  // namespace adoc
