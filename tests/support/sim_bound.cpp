#include <algorithm>
#include <cmath>
#include <map>

#include "support/sim.hpp"

namespace adoc::sim {
namespace {

/// Bytes that the link takes in this time.
double capacity(const std::vector<LinkStep>& link, double seconds) {
  double bytes = 0;
  for (std::size_t i = 0; i < link.size(); ++i) {
    const double begin = link[i].at_seconds;
    const double end = i + 1 < link.size() ? std::min(seconds, link[i + 1].at_seconds) : seconds;
    if (end > begin) bytes += (end - begin) * link[i].bytes_per_second;
  }
  return bytes;
}

/// Of the cheapest levels when a core second costs `work` and a byte on the wire `wire`.
double cheapest(const std::map<const Kind*, double>& kinds, const Setup& setup, double work,
                double wire) {
  double sum = 0;
  for (const auto& [kind, bytes] : kinds) {
    double least = std::numeric_limits<double>::infinity();
    for (const LevelModel& level : kind->levels)
      least = std::min(least, work * (1 / level.compress_rate + 1 / setup.read_rate) +
                                  wire / std::max(1.0, level.ratio));
    sum += least * bytes;
  }
  return sum;
}

/// What the receiver takes for the cheapest levels, and its disk for all of it.
double receiver_seconds(const std::map<const Kind*, double>& kinds, const Setup& setup) {
  const double cores = std::min(static_cast<double>(setup.receiver_threads), setup.receiver_cores);
  double work = 0;
  double raw = 0;
  for (const auto& [kind, bytes] : kinds) {
    double fastest = 0;
    for (const LevelModel& level : kind->levels) fastest = std::max(fastest, level.decompress_rate);
    work += bytes * (1 / fastest + 1 / setup.store_rate);
    raw += bytes;
  }
  return std::max(raw / setup.disk_rate, setup.shared_machine ? 0 : work / cores);
}

}  // namespace

double best_fixed_seconds(Setup setup) {
  for (int level = 0; level <= setup.ladder->top(); ++level) {
    const auto policy =
        make_policy({.policy = PolicyKind::fixed, .level = level}, *setup.ladder, setup.threads);
    setup.limit_seconds = std::min(setup.limit_seconds, run(setup, *policy).seconds);
  }
  return setup.limit_seconds;
}

// A time is enough when no pair of prices says that the processors' time and the link's together
// are too little for the cheapest choice under those prices (the dual of the linear program).
double least_seconds(const Setup& setup) {
  std::map<const Kind*, double> kinds;
  for (const Section& section : setup.data) kinds[section.kind] += section.bytes;
  const double cores = std::min(static_cast<double>(setup.threads), setup.cores);
  const auto enough = [&](double seconds) {
    const double wire = capacity(setup.link, seconds);
    const auto load = [&](double theta) {
      return cheapest(kinds, setup, theta / (cores * seconds), (1 - theta) / wire);
    };
    double low = 0;
    double high = 1;
    for (int i = 0; i < 60; ++i) {
      const double third = (high - low) / 3;
      if (load(low + third) < load(high - third))
        low += third;
      else
        high -= third;
    }
    return load((low + high) / 2) <= 1;
  };
  double low = 0;
  double high = 1e-3;
  while (!enough(high)) high *= 2;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return std::max(high, receiver_seconds(kinds, setup));
}

}  // namespace adoc::sim
