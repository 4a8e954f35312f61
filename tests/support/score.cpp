#include "support/score.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace adoc::sim {
namespace {

/// The paper's law reads one packet at a time at level 0.
constexpr double kLawBytes = 32e6;

/// Both programs, the goal of a file of a kilobyte.
constexpr double kStartSeconds = 12e-3;

/// Levels that the best one is among, as far as a first guess goes.
constexpr std::size_t kTriedLevels = 4;

double raw_bytes(const Setup& setup) {
  double sum = 0;
  for (const Section& section : setup.data) sum += section.bytes;
  return sum;
}

/// As if all threads had always something to do, and so had the link.
double guessed_seconds(const Setup& setup, int level) {
  double work = 0;
  double wire = 0;
  double receiver = 0;
  for (const Section& section : setup.data) {
    const LevelModel& its = section.kind->levels[static_cast<std::size_t>(level)];
    work += section.bytes / its.compress_rate;
    receiver += section.bytes / its.decompress_rate;
    wire += wire_bytes(*section.kind, *setup.ladder, level, section.bytes);
  }
  const double cores = std::min(static_cast<double>(setup.threads), setup.cores);
  const double theirs = std::min(static_cast<double>(setup.receiver_threads), setup.receiver_cores);
  return std::max({work / cores, wire / setup.link.back().bytes_per_second, receiver / theirs});
}

double logarithm(const Setup& setup, double seconds, double least) {
  const double start = kStartSeconds + 3 * setup.round_trip_seconds;
  return std::log((start + seconds) / (start + least));
}

double best_level_seconds(Setup setup) {
  std::vector<std::pair<double, int>> levels;
  for (int level = 0; level <= setup.ladder->last(); ++level)
    levels.emplace_back(guessed_seconds(setup, level), level);
  std::sort(levels.begin(), levels.end());
  levels.resize(std::min(kTriedLevels, levels.size()));
  for (const auto& [guess, level] : levels) {
    const auto policy =
        make_policy({.policy = PolicyKind::fixed, .level = level}, *setup.ladder, setup.threads);
    setup.limit_seconds = std::min(setup.limit_seconds, run(setup, *policy).seconds);
  }
  return setup.limit_seconds;
}

}  // namespace

double score_of(const Setup& setup, const Outcome& outcome) {
  return logarithm(setup, outcome.seconds, least_seconds(setup));
}

Judged judge(const World& world) {
  const double least = least_seconds(world.first);
  Judged judged;
  std::optional<PathMetrics> path_metrics;
  {
    const auto policy = make_policy({}, *world.first.ladder, world.first.threads);
    judged.first = logarithm(world.first, run(world.first, *policy).seconds, least);
    path_metrics = policy->path_metrics();
  }
  const auto later = [&](const Setup& setup) {
    const auto policy = make_policy({}, *setup.ladder, setup.threads, path_metrics);
    return score_of(setup, run(setup, *policy));
  };
  judged.same = later(world.same);
  judged.other = later(world.other);
  judged.fixed = logarithm(world.first, best_level_seconds(world.first), least);
  judged.law = std::nan("");
  if (raw_bytes(world.first) <= kLawBytes) {
    Setup one = world.first;
    one.threads = 1;
    const auto law = make_policy({.policy = PolicyKind::adoc}, *one.ladder, 1);
    judged.law = logarithm(one, run(one, *law).seconds, least);
  }
  return judged;
}

Score score(std::vector<double> logarithms) {
  std::erase_if(logarithms, [](double value) { return std::isnan(value); });
  if (logarithms.empty()) return {};
  std::sort(logarithms.begin(), logarithms.end());
  double sum = 0;
  for (const double value : logarithms) sum += value;
  const auto count = static_cast<double>(logarithms.size());
  return {.worlds = logarithms.size(),
          .mean = std::exp(sum / count),
          .most = std::exp(logarithms[static_cast<std::size_t>(0.95 * (count - 1))]),
          .worst = std::exp(logarithms.back())};
}

}  // namespace adoc::sim
