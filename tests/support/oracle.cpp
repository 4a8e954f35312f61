#include "support/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "control/auto/auto_policy.hpp"
#include "control/auto/params.hpp"

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

/// Of one of the receiver's threads, for a raw byte at each level.
std::vector<double> decompress_seconds(const Setup& setup) {
  double bytes = 0;
  for (const Section& section : setup.data) bytes += section.bytes;
  std::vector<double> seconds(static_cast<std::size_t>(setup.ladder->last()) + 1);
  for (const Section& section : setup.data)
    for (std::size_t level = 0; level < seconds.size(); ++level)
      seconds[level] += section.bytes / bytes *
                        (1 / section.kind->levels[level].decompress_rate + 1 / setup.store_rate);
  return seconds;
}

/// What the link takes at first, whether TCP's slow start lets it or not, from one thread.
double rate_of(const Setup& setup) {
  const auto usual =
      std::ranges::find_if(setup.link, [](const LinkStep& step) { return !step.slow_start; });
  return std::min(usual->bytes_per_second, setup.socket_rate);
}

/// A policy that has seen the link busy for a second before the transfer begins.
class Prepared final : public Policy {
 public:
  Prepared(Policy& policy, double bytes_per_second) : policy_(policy) {
    constexpr int kStates = 200;
    constexpr double kStateSeconds = 5e-3;
    const auto bytes = static_cast<std::uint64_t>(kStateSeconds * bytes_per_second);
    for (int state = 0; state <= kStates; ++state) {
      before_.seconds = state * kStateSeconds;
      before_.sent_bytes = before_.arrived_bytes = static_cast<std::uint64_t>(state) * bytes;
      before_.unsent_bytes = state < kStates ? 2 * bytes : 0;
      before_.ready_bytes = before_.queued_bytes = before_.unsent_bytes;
      policy_.observe(before_);
    }
  }

  Plan plan(const LinkState& link) override { return policy_.plan(since(link)); }
  Choice choose(const LinkState& link, const SampleStats& stats, std::size_t raw_bytes) override {
    return policy_.choose(since(link), stats, raw_bytes);
  }
  void learn(const LinkState& link, const BlockResult& result) override {
    policy_.learn(since(link), result);
  }
  void observe(const LinkState& link) override { policy_.observe(since(link)); }
  bool gives_up(const LinkState& link, std::uint64_t ticket) override {
    return policy_.gives_up(since(link), ticket);
  }

 private:
  [[nodiscard]] LinkState since(LinkState link) const {
    link.seconds += before_.seconds;
    link.sent_bytes += before_.sent_bytes;
    link.arrived_bytes += before_.arrived_bytes;
    return link;
  }

  Policy& policy_;
  LinkState before_{};
};

}  // namespace

Outcome run(const Setup& its, const Oracle& oracle) {
  AutoPolicy::Setup setup{.ladder = *its.ladder,
                          .range = {.min = 0, .max = its.ladder->last()},
                          .threads = its.threads,
                          .memory_bytes = PipelineOptions{}.memory_limit() / its.threads};
  if (oracle.data) setup.prior.levels = distribution_of(its);
  if (oracle.receiver) {
    const double threads = std::min(static_cast<double>(its.receiver_threads), its.receiver_cores);
    setup.prior.decompress_seconds = decompress_seconds(its);
    setup.path_metrics = PathMetrics{.log_rate = params::kPriorLogMean,
                                     .log_rate_deviation = params::kPriorDeviation,
                                     .receiver = {.overall = 1 / threads, .decompressing = 1}};
  }
  AutoPolicy policy(setup);
  if (!oracle.rate) return run(its, policy);
  Prepared prepared(policy, rate_of(its));
  return run(its, prepared);
}

}  // namespace adoc::sim
