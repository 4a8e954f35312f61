#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/sim_data.hpp"
#include "unit/control/auto_ladder.hpp"

// Scenes for the policy `auto`: a measured kind of data over a link.
namespace adoc::testkit {

inline const std::map<std::string, sim::Kind>& measured() {
  static const auto kinds = sim::read_kinds(ADOC_LEVELS_CSV);
  return kinds;
}

inline sim::Setup transfer(const sim::Kind& kind, double bytes, std::vector<sim::LinkStep> link) {
  return {.ladder = &kAutoLadder, .data = {{&kind, bytes}}, .link = std::move(link)};
}

inline std::vector<sim::LinkStep> bits(double per_second) { return {{0, per_second / 8}}; }

inline sim::Outcome run(const sim::Setup& setup, const PipelineOptions& options = {}) {
  const auto policy = make_policy(options, kAutoLadder, setup.threads);
  return sim::run(setup, *policy);
}

inline double regret(const sim::Setup& setup) {
  return run(setup).seconds / sim::best_fixed_seconds(setup);
}

/// After another transfer over what may by now be another link.
inline sim::Outcome run_after(const sim::Setup& earlier, const sim::Setup& setup) {
  const auto first = make_policy({}, kAutoLadder, earlier.threads);
  static_cast<void>(sim::run(earlier, *first));
  const auto second = make_policy({}, kAutoLadder, setup.threads, first->path_metrics());
  return sim::run(setup, *second);
}

/// The value that this part of all is not above.
inline double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace adoc::testkit
