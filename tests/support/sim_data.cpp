#include "support/sim_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include "control/auto/params.hpp"

namespace adoc::sim {
namespace {

constexpr double kEntropyNoise = 0.2;

/// measure_levels, which compresses one block after the other, does not search for matches.
bool is_searched(const std::string& rung) {
  for (const Ladder& ladder : {Ladder::named("auto"), Ladder::named("zstd")})
    for (int level = 0; level <= ladder.last(); ++level)
      if (to_string(ladder[level]) == rung) return block_shape(ladder[level]).matches;
  return false;
}

void read_stats(const std::string& line, std::map<std::string, Kind>& kinds) {
  const auto colon = line.find(": ");
  const auto entropy = line.find("entropy ");
  if (colon == std::string::npos || entropy == std::string::npos) return;
  Kind& kind = kinds[line.substr(2, colon - 2)];
  kind.stats = {.entropy_bits = std::stod(line.substr(entropy + 8)),
                .random = line.find("looks random") != std::string::npos};
  kind.entropy_noise = kEntropyNoise;
}

void read_level(const std::string& line, std::map<std::string, Kind>& kinds) {
  std::istringstream row(line);
  std::array<std::string, 6> columns;
  for (std::string& column : columns) std::getline(row, column, ',');
  Kind& kind = kinds[columns[0]];
  kind.name = columns[0];
  if (std::stoul(columns[1]) != kind.levels.size())
    throw std::runtime_error("a level is missing before: " + line);
  const double search = is_searched(columns[2]) ? params::kSearchSeconds : 0;
  kind.levels.push_back({.compress_rate = 1 / (1e-6 / std::stod(columns[3]) + search),
                         .ratio = std::stod(columns[4]),
                         .decompress_rate = std::stod(columns[5]) * 1e6});
}

}  // namespace

std::map<std::string, Kind> read_kinds(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::map<std::string, Kind> kinds;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# "))
      read_stats(line, kinds);
    else if (!line.empty() && !line.starts_with("file,"))
      read_level(line, kinds);
  }
  return kinds;
}

double wire_bytes(const Kind& kind, const Ladder& ladder, int level, double raw_bytes) {
  const double ratio = kind.levels[static_cast<std::size_t>(level)].ratio;
  if (level == 0 || ratio <= 1) return raw_bytes;
  constexpr double kLeastLeft = 0.3;
  const double shape = static_cast<double>(block_shape(ladder[level]).block_bytes);
  const double halvings = std::max(0.0, std::log2(shape / raw_bytes));
  const double left = std::max(kLeastLeft, 1 - kind.length_loss * halvings);
  return raw_bytes * std::exp(-left * std::log(ratio));
}

Kind random_kind(const Ladder& ladder, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Kind kind{.name = "random kind " + std::to_string(seed)};
  const auto levels = static_cast<std::size_t>(ladder.top()) + 1;
  const auto all = static_cast<std::size_t>(ladder.last()) + 1;
  // Positions on the way from the fastest rung to the densest, by uneven steps.
  const auto steps = [&] {
    std::vector<double> position{0};
    for (std::size_t level = 1; level < levels; ++level)
      position.push_back(position.back() + between(0.2, 1.8));
    for (double& value : position) value /= position.back();
    return position;
  };
  const double densest = std::exp(between(0.01, 3));
  const double fastest = std::exp(between(std::log(5e8), std::log(6e9)));
  const double slowest = std::exp(between(std::log(1e6), std::log(2e7)));
  const std::vector<double> speed = steps();
  const std::vector<double> ratio = steps();
  const double bend = between(0.3, 1.5);
  for (std::size_t level = 0; level < levels; ++level) {
    const bool raw = level == 0;
    kind.levels.push_back(
        {.compress_rate = raw ? 1.5e10 : fastest * std::pow(slowest / fastest, speed[level]),
         .ratio = raw ? 1 : std::pow(densest, std::pow(ratio[level], bend)),
         .decompress_rate = raw ? 3e10 : between(8e8, 4e9)});
  }
  kind.stats.entropy_bits = std::clamp(8 / std::sqrt(densest) + between(-1, 1), 0.5, 7.9);
  kind.stats.random = densest < 1.02;
  kind.entropy_noise = between(0, 0.3);
  // Most data lose little, dumps and databases much.
  kind.length_loss = 0.1 * std::pow(between(0.3, 1), 3);
  // Block sorting is about as fast for all data, and both ways; longer blocks gain more or less.
  const double sorting = std::log(densest) * between(0.8, 1.4);
  const double gain = between(0, 0.06);
  const double speed_of_sorting = between(8e6, 18e6);
  for (std::size_t level = levels; level < all; ++level)
    kind.levels.push_back(
        {.compress_rate = speed_of_sorting * between(0.9, 1.1),
         .ratio = std::exp(sorting * (1 + gain * static_cast<double>(level - levels))),
         .decompress_rate = speed_of_sorting * between(0.7, 1)});
  return kind;
}

}  // namespace adoc::sim
