#include "control/auto/level_prior.hpp"

#include <cmath>

#include "control/auto/level_prior_table.hpp"
#include "control/auto/params.hpp"

namespace adoc {
namespace {

using namespace params;

/// A variable that is a mean, a multiple of the factor that all have in common, and a rest.
struct Variable {
  double mean = 0;
  double loading = 0;
  double rest = 0;
};

const LevelPriorTable& table_of(std::string_view ladder) {
  if (ladder == "lz4") return kLz4Prior;
  if (ladder == "zlib") return kZlibPrior;
  return ladder == "zstd" ? kZstdPrior : kAutoPrior;
}

}  // namespace

LevelPrior level_prior(const Ladder& ladder) {
  const LevelPriorTable& table = table_of(ladder.name());
  // A build without a codec has fewer levels than the table.
  const auto levels = static_cast<std::size_t>(ladder.last());
  const std::size_t size = 2 * levels + 2;
  std::vector<Variable> variables(size);
  std::vector<double> decompress{0};
  for (std::size_t i = 0; i < levels; ++i) {
    const LevelPriorRow& row = table.levels[i];
    variables[i] = {row.speed, row.speed_loading, row.speed_rest};
    variables[levels + i] = {row.strength, row.strength_loading, row.strength_rest};
    decompress.push_back(row.decompress_nanoseconds * 1e-9);
  }
  variables[2 * levels] = {table.entropy, table.entropy_loading, table.entropy_rest};
  variables.back() = {.mean = kLengthLoss, .rest = kLengthLoss};
  std::vector<double> mean(size);
  std::vector<double> covariance(size * size);
  for (std::size_t a = 0; a < size; ++a) {
    mean[a] = variables[a].mean;
    for (std::size_t b = 0; b < size; ++b) {
      double& its = covariance[a * size + b];
      its = variables[a].loading * variables[b].loading;
      const bool alike = a < 2 * levels && b < 2 * levels && a / levels == b / levels;
      const double apart = std::abs(static_cast<double>(a) - static_cast<double>(b));
      const double together = a < levels ? kSpeedCorrelation : kStrengthCorrelation;
      if (a == b || alike)
        its += variables[a].rest * variables[b].rest * std::exp(-apart / together);
    }
  }
  return {.levels = Gaussian(std::move(mean), std::move(covariance)),
          .decompress_seconds = std::move(decompress)};
}

}  // namespace adoc
