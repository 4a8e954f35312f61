#include "support/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "control/auto/auto_policy.hpp"
#include "support/score.hpp"

namespace adoc::sim {
namespace {

/// What levels do to a kind of data, in the order of LevelPrior.
std::vector<double> variables_of(const Kind& kind, std::size_t levels) {
  std::vector<double> all(2 * levels + 2);
  for (std::size_t i = 0; i < levels; ++i) {
    const LevelModel& level = kind.levels[i + 1];
    all[i] = -std::log(level.compress_rate);
    all[levels + i] = std::log(std::log(std::max(1.0, level.ratio)) + kNothing);
  }
  all[2 * levels] = kind.stats.entropy_bits;
  all[2 * levels + 1] = kind.length_loss;
  return all;
}

/// Of the file's kinds, each as often as it has bytes.
Gaussian distribution_of(const Setup& setup) {
  constexpr double kLeastVariance = 1e-6;
  const auto levels = static_cast<std::size_t>(setup.ladder->last());
  const std::size_t size = 2 * levels + 2;
  std::vector<double> mean(size);
  std::vector<double> covariance(size * size);
  double bytes = 0;
  for (const Section& section : setup.data) bytes += section.bytes;
  for (const Section& section : setup.data) {
    const std::vector<double> its = variables_of(*section.kind, levels);
    for (std::size_t i = 0; i < size; ++i) mean[i] += section.bytes / bytes * its[i];
  }
  for (const Section& section : setup.data) {
    const std::vector<double> its = variables_of(*section.kind, levels);
    for (std::size_t a = 0; a < size; ++a)
      for (std::size_t b = 0; b < size; ++b)
        covariance[a * size + b] += section.bytes / bytes * (its[a] - mean[a]) * (its[b] - mean[b]);
  }
  for (std::size_t i = 0; i < size; ++i) covariance[i * size + i] += kLeastVariance;
  return {std::move(mean), std::move(covariance)};
}

/// Of one of its threads, for a raw byte at each level.
std::vector<double> receiver_seconds(const Setup& setup) {
  double bytes = 0;
  for (const Section& section : setup.data) bytes += section.bytes;
  std::vector<double> seconds(static_cast<std::size_t>(setup.ladder->last()) + 1);
  for (const Section& section : setup.data)
    for (std::size_t level = 0; level < seconds.size(); ++level)
      seconds[level] += section.bytes / bytes *
                        (1 / section.kind->levels[level].decompress_rate + 1 / setup.store_rate);
  return seconds;
}

double rate_at(const std::vector<LinkStep>& link, double seconds) {
  double rate = 0;
  for (const LinkStep& step : link)
    if (step.at_seconds <= seconds) rate = step.bytes_per_second;
  return rate;
}

}  // namespace

double score_with(const World& world, const Oracle& oracle) {
  const Setup& first = world.first;
  AutoPolicy::Setup setup{.ladder = *first.ladder,
                          .range = {.min = 0, .max = first.ladder->last()},
                          .threads = first.threads,
                          .memory_bytes = PipelineOptions{}.memory_limit() / first.threads};
  if (oracle.rate)
    setup.truth.link_rate = [&](double seconds) { return rate_at(first.link, seconds); };
  if (oracle.data) setup.prior.levels = distribution_of(first);
  if (oracle.receiver) {
    const double threads =
        std::min(static_cast<double>(first.receiver_threads), first.receiver_cores);
    setup.prior.receiver_seconds = receiver_seconds(first);
    setup.truth.receiver = PathMetrics::Receiver{.overall = 1 / threads, .decompressing = 1};
  }
  AutoPolicy policy(setup);
  return score_of(first, policy);
}

}  // namespace adoc::sim
