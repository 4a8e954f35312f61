#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "support/data_path.hpp"
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

/// Of a second of a processor at either end, and of a byte on the wire.
struct Price {
  double work = 0;
  double wire = 0;
  double receiver = 0;
};

/// What there is of a kind, and what each level makes of it.
struct Amount {
  double raw = 0;
  std::vector<double> wire{};
};
using Amounts = std::map<const Kind*, Amount>;

Amounts amounts_of(const Setup& setup) {
  DataPath path(setup.data_seed);
  Amounts amounts;
  double offset = 0;
  for (const Section& section : setup.data) {
    const Kind& kind = *section.kind;
    Amount& its = amounts[&kind];
    its.raw += section.bytes;
    its.wire.resize(kind.levels.size());
    const double end = offset + section.bytes;
    const double most = kind.scatter == 0 ? section.bytes : DataPath::kStepBytes;
    while (offset < end) {
      const double bytes = std::min(most, end - offset);
      const double shift = kind.scatter == 0 ? 0 : kind.scatter * path.mean(offset, offset + bytes);
      for (std::size_t i = 0; i < its.wire.size(); ++i) {
        const double strength = std::log(std::max(1.0, kind.levels[i].ratio)) * std::exp(shift);
        its.wire[i] += bytes * std::exp(-strength);
      }
      offset += bytes;
    }
  }
  return amounts;
}

/// Of the cheapest levels.
double cheapest(const Amounts& amounts, const Setup& setup, const Price& price) {
  double sum = 0;
  for (const auto& [kind, its] : amounts) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= setup.ladder->last(); ++i) {
      const LevelModel& level = kind->levels[static_cast<std::size_t>(i)];
      const double work = its.raw * (1 / level.compress_rate + 1 / setup.read_rate);
      const double receiver = its.raw * (1 / level.decompress_rate + 1 / setup.store_rate);
      least = std::min(least, price.work * work + price.receiver * receiver +
                                  price.wire * its.wire[static_cast<std::size_t>(i)]);
    }
    sum += least;
  }
  return sum;
}

double disk_seconds(const Setup& setup) {
  double raw = 0;
  for (const Section& section : setup.data) raw += section.bytes;
  return raw / setup.disk_rate;
}

/// The most of a concave function between 0 and `high`.
template <typename Function>
double most_of(double high, const Function& function) {
  double low = 0;
  for (int i = 0; i < 24; ++i) {
    const double third = (high - low) / 3;
    if (function(low + third) < function(high - third))
      low += third;
    else
      high -= third;
  }
  return function((low + high) / 2);
}

}  // namespace

double best_fixed_seconds(Setup setup) {
  for (int level = 0; level <= setup.ladder->last(); ++level) {
    const auto policy =
        make_policy({.policy = PolicyKind::fixed, .level = level}, *setup.ladder, setup.threads);
    setup.limit_seconds = std::min(setup.limit_seconds, run(setup, *policy).seconds);
  }
  return setup.limit_seconds;
}

// A time is enough when no prices say that the processors' time at either end and the link's
// together are too little for the cheapest choice under those prices (the dual of the linear
// program).
double least_seconds(const Setup& setup) {
  const Amounts amounts = amounts_of(setup);
  const double cores = std::min(static_cast<double>(setup.threads), setup.cores);
  const double theirs = std::min(static_cast<double>(setup.receiver_threads), setup.receiver_cores);
  const auto enough = [&](double seconds) {
    const double wire = capacity(setup.link, seconds);
    const auto load = [&](double work, double receiver) {
      return cheapest(amounts, setup,
                      {.work = work / (cores * seconds),
                       .wire = (1 - work - receiver) / wire,
                       .receiver = receiver / (theirs * seconds)});
    };
    // Processors that both ends share are the sender's.
    if (setup.shared_machine) return most_of(1, [&](double work) { return load(work, 0); }) <= 1;
    return most_of(1, [&](double receiver) {
             return most_of(1 - receiver, [&](double work) { return load(work, receiver); });
           }) <= 1;
  };
  double low = 0;
  double high = 1e-3;
  while (!enough(high)) high *= 2;
  for (int i = 0; i < 24; ++i) {
    const double middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return std::max(high, disk_seconds(setup));
}

}  // namespace adoc::sim
