// How far the policies are from the best fixed level and from the best mixture, in the simulator.
// Prints Markdown: src/control/README.md.
//
//   policy_tables LEVELS_CSV

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <vector>

#include "support/sim_data.hpp"

namespace adoc {
namespace {

constexpr double kBytes = 60e6;

struct Link {
  const char* name;
  double bits_per_second;
};
constexpr Link kLinks[] = {{"10 Mbit/s", 10e6}, {"100 Mbit/s", 100e6}, {"1 Gbit/s", 1e9},
                           {"5 Gbit/s", 5e9},   {"10 Gbit/s", 10e9},   {"no limit", 1e12}};

/// The machines at the ends of the link; one may be both. And a queue on the way between them.
struct Machines {
  const char* name;
  std::size_t processors;
  bool one = false;
  double way_seconds = 0;
};
constexpr Machines kMachines[] = {{"2 and 2", 2},
                                  {"8 and 8", 8},
                                  {"2 for both", 2, true},
                                  {"2 for both, 20 ms on the way", 2, true, 20e-3}};

constexpr Machines kBothOnOne = kMachines[2];

sim::Setup setup_of(const sim::Kind& kind, double bytes, const Ladder& ladder, const Link& link,
                    const Machines& machines) {
  sim::Setup setup{.ladder = &ladder,
                   .data = {{&kind, bytes}},
                   .link = {{0, link.bits_per_second / 8}},
                   .threads = machines.processors,
                   .cores = static_cast<double>(machines.processors),
                   .receiver_threads = machines.processors,
                   .receiver_cores = static_cast<double>(machines.processors),
                   .way_seconds = machines.way_seconds};
  if (machines.one) setup.share_machine();
  return setup;
}

double seconds(const sim::Setup& setup, const PipelineOptions& options) {
  const auto policy = make_policy(options, *setup.ladder, setup.threads);
  return sim::run(setup, *policy).seconds;
}

/// Times of a policy over those of something else, for each kind of data.
struct Ratios {
  std::vector<double> values{};

  [[nodiscard]] double quantile(double part) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
  }
  [[nodiscard]] double mean() const {
    double logs = 0;
    for (const double value : values) logs += std::log(value);
    return std::exp(logs / static_cast<double>(values.size()));
  }
  [[nodiscard]] long above(double limit) const {
    return std::count_if(values.begin(), values.end(), [&](double v) { return v > limit; });
  }
};

void print_row(const std::map<std::string, sim::Kind>& kinds, const Ladder& ladder,
               const Link& link, const Machines& machines) {
  Ratios fixed;
  Ratios law;
  Ratios mixture;
  for (const auto& [name, kind] : kinds) {
    sim::Setup setup = setup_of(kind, kBytes, ladder, link, machines);
    const double automatic = seconds(setup, {});
    const double best = sim::best_fixed_seconds(setup);
    fixed.values.push_back(automatic / best);
    mixture.values.push_back(automatic / sim::least_seconds(setup));
    setup.threads = 1;
    law.values.push_back(seconds(setup, {.policy = PolicyKind::adoc}) / best);
  }
  std::printf("| %s | %s | %.2f | %.2f | %ld of %zu | %.2f | %.2f |\n", machines.name, link.name,
              fixed.quantile(0.5), fixed.quantile(1), fixed.above(1.05), fixed.values.size(),
              mixture.quantile(0.5), law.quantile(0.5));
}

/// What the link takes 2 s for, within bounds: less shows nothing of a slow link, as the system
/// holds 20 ms of it.
double series_bytes(const Link& link) {
  return std::clamp(2 * link.bits_per_second / 8, 16e6, 64e6);
}

/// Times over those of the best fixed level of transfers one after another, each from what the one
/// before left: the mean of the first ones, and of all later ones of each kind.
void print_series(const std::map<std::string, sim::Kind>& kinds, const Ladder& ladder,
                  const Link& link, const Machines& machines) {
  constexpr int kSeries = 3;
  constexpr int kLater = 4;
  double first = 0;
  Ratios later;
  for (const auto& [name, kind] : kinds) {
    double logs = 0;
    for (int series = 1; series <= kSeries; ++series) {
      std::optional<Experience> experience;
      for (int number = 0; number <= kLater; ++number) {
        sim::Setup setup = setup_of(kind, series_bytes(link), ladder, link, machines);
        setup.seed = static_cast<std::uint64_t>(series * 100 + number);
        const auto policy = make_policy({}, ladder, setup.threads, experience);
        const double ratio = sim::run(setup, *policy).seconds / sim::best_fixed_seconds(setup);
        if (policy->experience()) experience = policy->experience();
        (number == 0 ? first : logs) += std::log(ratio);
      }
    }
    later.values.push_back(std::exp(logs / kSeries / kLater));
  }
  const auto count = static_cast<double>(kinds.size());
  std::printf("| %s | %s | %.2f | %.2f | %.2f | %ld of %zu |\n", machines.name, link.name,
              std::exp(first / count / kSeries), later.mean(), later.quantile(1), later.above(1.05),
              later.values.size());
}

/// The same of data that follow others over the link, each pair of kinds: those of which it is
/// known are all wrong, and may look the same.
void print_changes(const std::map<std::string, sim::Kind>& kinds, const Ladder& ladder,
                   const Link& link) {
  constexpr int kBefore = 3;
  constexpr int kAfter = 3;
  const double bytes = std::clamp(2 * link.bits_per_second / 8, 4e6, 64e6);
  std::array<Ratios, kAfter> after;
  for (const auto& [name, kind] : kinds) {
    const double best = sim::best_fixed_seconds(setup_of(kind, bytes, ladder, link, kBothOnOne));
    for (const auto& [other_name, other] : kinds) {
      if (other_name == name) continue;
      std::optional<Experience> experience;
      for (int number = 0; number < kBefore + kAfter; ++number) {
        const bool before = number < kBefore;
        sim::Setup setup = setup_of(before ? other : kind, bytes, ladder, link, kBothOnOne);
        setup.seed = static_cast<std::uint64_t>(number);
        const auto policy = make_policy({}, ladder, setup.threads, experience);
        const double ratio = sim::run(setup, *policy).seconds / best;
        if (policy->experience()) experience = policy->experience();
        if (!before) after.at(static_cast<std::size_t>(number - kBefore)).values.push_back(ratio);
      }
    }
  }
  std::printf("| %s |", link.name);
  for (Ratios& ratios : after)
    std::printf(" %.3f | %.2f | %ld of %zu |", ratios.mean(), ratios.quantile(0.95),
                ratios.above(1.05), ratios.values.size());
  std::puts("");
}

template <typename PrintRow>
void print_table(const char* head, PrintRow print_row) {
  std::fputs(head, stdout);
  for (const Machines& machines : kMachines)
    for (const Link& link : kLinks) print_row(link, machines);
}

void print_tables(const char* path) {
  const Ladder ladder = Ladder::named("auto");
  const auto kinds = sim::read_kinds(path);
  print_table(
      "| processors | link | auto / best fixed level: median | worst | above 1.05 | auto / best "
      "mixture: median | adoc / best fixed level: median |\n"
      "|---:|---:|---:|---:|---:|---:|---:|\n",
      [&](const Link& link, const Machines& machines) {
        print_row(kinds, ladder, link, machines);
      });
  print_table(
      "\n| processors | link | first transfer / best fixed level: mean | later ones: mean | worst "
      "| above 1.05 |\n"
      "|---:|---:|---:|---:|---:|---:|\n",
      [&](const Link& link, const Machines& machines) {
        print_series(kinds, ladder, link, machines);
      });
  std::puts(
      "\n| link | first transfer after other data / best fixed level: mean | 95 % | above 1.05 | "
      "second: mean | 95 % | above 1.05 | third: mean | 95 % | above 1.05 |\n"
      "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (const Link& link : kLinks) print_changes(kinds, ladder, link);
}

}  // namespace
}  // namespace adoc

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: policy_tables LEVELS_CSV\n", stderr);
    return 2;
  }
  try {
    adoc::print_tables(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "policy_tables: %s\n", error.what());
    return 1;
  }
}
