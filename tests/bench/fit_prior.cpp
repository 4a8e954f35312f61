// Fits what `auto` believes of levels before it has seen any data
// (src/control/auto/level_prior.hpp) to what measure_levels --csv measured on samples of many kinds
// (prior_samples.py).
//
//     fit_prior NAME=FILE.csv[,FILE.csv...]...
//
// writes a table for each ladder's name, as src/control/auto/level_prior_*.cpp have them.

#include <cmath>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "control/auto/level_prior.hpp"
#include "support/sim_data.hpp"

namespace {

using Row = std::vector<double>;

// Of the deviation of a variable from its mean, over samples: no less than what the samples do not
// show, because they are few.
constexpr double kLeastSpeedRest = 0.15;
constexpr double kLeastStrengthRest = 0.2;
constexpr double kLeastEntropyRest = 0.3;

struct Samples {
  std::vector<Row> rows;   // speeds, strengths, entropy: as the prior has them
  Row decompress_seconds;  // means, of each level from 1 on
};

Samples read(const std::string& paths) {
  Samples samples;
  double count = 0;
  std::istringstream list(paths);
  for (std::string path; std::getline(list, path, ',');) {
    for (const auto& [name, kind] : adoc::sim::read_kinds(path)) {
      if (kind.stats.random) continue;
      Row speeds;
      Row strengths;
      samples.decompress_seconds.resize(kind.levels.size() - 1);
      for (std::size_t level = 1; level < kind.levels.size(); ++level) {
        const auto& its = kind.levels[level];
        samples.decompress_seconds[level - 1] += 1 / its.decompress_rate;
        speeds.push_back(-std::log(its.compress_rate));
        strengths.push_back(std::log(std::log(std::max(1.0, its.ratio)) + adoc::kNothing));
      }
      Row row = speeds;
      row.insert(row.end(), strengths.begin(), strengths.end());
      row.push_back(kind.stats.entropy_bits);
      samples.rows.push_back(row);
      ++count;
    }
  }
  for (double& seconds : samples.decompress_seconds) seconds /= count;
  return samples;
}

struct Fit {
  Row mean, loading, rest;
};

// One factor, the first principal component, and a rest of its own for each variable.
Fit fit(const std::vector<Row>& rows) {
  const std::size_t size = rows.front().size();
  const auto count = static_cast<double>(rows.size());
  Fit fit{.mean = Row(size), .loading = Row(size, 1), .rest = Row(size)};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < size; ++i) fit.mean[i] += row[i] / count;
  double eigenvalue = 0;
  for (int step = 0; step < 1'000; ++step) {
    Row next(size);
    for (const Row& row : rows) {
      double along = 0;
      for (std::size_t i = 0; i < size; ++i) along += (row[i] - fit.mean[i]) * fit.loading[i];
      for (std::size_t i = 0; i < size; ++i)
        next[i] += along * (row[i] - fit.mean[i]) / (count - 1);
    }
    eigenvalue = 0;
    for (const double part : next) eigenvalue += part * part;
    eigenvalue = std::sqrt(eigenvalue);
    for (std::size_t i = 0; i < size; ++i) fit.loading[i] = next[i] / eigenvalue;
  }
  const std::size_t levels = size / 2;
  for (std::size_t i = 0; i < size; ++i) {
    fit.loading[i] *= std::sqrt(eigenvalue);
    double variance = 0;
    for (const Row& row : rows)
      variance += (row[i] - fit.mean[i]) * (row[i] - fit.mean[i]) / (count - 1);
    const double rest = std::sqrt(std::max(0.0, variance - fit.loading[i] * fit.loading[i]));
    fit.rest[i] = std::max(rest, i < levels       ? kLeastSpeedRest
                                 : i < 2 * levels ? kLeastStrengthRest
                                                  : kLeastEntropyRest);
  }
  return fit;
}

void print(const std::string& name, const Samples& samples) {
  const Fit its = fit(samples.rows);
  const std::size_t levels = its.mean.size() / 2;
  std::printf("\n/// %zu samples.\nconstexpr std::array<LevelPriorRow, %zu> k%c%sRows{{\n",
              samples.rows.size(), levels, std::toupper(name[0]), name.c_str() + 1);
  for (std::size_t i = 0; i < levels; ++i) {
    const std::size_t s = levels + i;
    std::printf("    {%.2f, %.2f, %.2f, %.2f, %.2f, %.2f, %.3g},\n", its.mean[i], its.loading[i],
                its.rest[i], its.mean[s], its.loading[s], its.rest[s],
                samples.decompress_seconds[i] * 1e9);
  }
  std::printf("}};\nconstexpr LevelPriorTable k%c%sPrior{k%c%sRows, %.2f, %.2f, %.2f};\n",
              std::toupper(name[0]), name.c_str() + 1, std::toupper(name[0]), name.c_str() + 1,
              its.mean.back(), its.loading.back(), its.rest.back());
}

}  // namespace

int main(int count, char** words) {
  try {
    std::printf(
        "// Written by tests/bench/fit_prior.\n\n#include <array>\n\n"
        "#include \"control/auto/level_prior_table.hpp\"\n\nnamespace adoc {\n");
    for (int i = 1; i < count; ++i) {
      const std::string word = words[i];
      const auto equals = word.find('=');
      print(word.substr(0, equals), read(word.substr(equals + 1)));
    }
    std::printf("\n}  // namespace adoc\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fit_prior: %s\n", error.what());
    return 1;
  }
}
