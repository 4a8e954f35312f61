// How soon `auto` is as fast as it can be once a link has changed, and what it moves over links
// that change, in random worlds of the simulator: one page of Markdown. The same seed gives the
// same.
//
//   change_score SEED [--worlds N]

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/number.hpp"
#include "support/score.hpp"
#include "support/sim_data.hpp"
#include "support/worlds.hpp"

namespace adoc {
namespace {

/// As in section steps of the race.
constexpr double kWindowSeconds = 0.4;
constexpr double kSampleSeconds = 0.02;
constexpr double kReached = 0.9;
constexpr double kGoalSeconds = 0.5;

using Progress = std::vector<sim::Progress>;

double at(const Progress& progress, double seconds) {
  const auto next = std::ranges::lower_bound(progress, seconds, {}, &sim::Progress::seconds);
  if (next == progress.end()) return progress.empty() ? 0 : progress.back().raw_bytes;
  const sim::Progress before = next == progress.begin() ? sim::Progress{} : *(next - 1);
  const double part = (seconds - before.seconds) / (next->seconds - before.seconds);
  return before.raw_bytes + part * (next->raw_bytes - before.raw_bytes);
}

double rate(const Progress& progress, double begin, double end) {
  return (at(progress, end) - at(progress, begin)) / (end - begin);
}

/// From `begin` to the first window that reaches nine tenths of this rate.
double seconds_to(double wanted, const Progress& progress, double begin, double end) {
  for (double now = begin; now + kWindowSeconds <= end; now += kSampleSeconds)
    if (rate(progress, now, now + kWindowSeconds) >= kReached * wanted) return now - begin;
  return std::numeric_limits<double>::infinity();
}

/// What follows a step of the link. Rates are those of the second half of the time until the next.
struct AfterStep {
  bool up = false;
  double bits_per_second = 0;  ///< of the link
  double seconds_to_own = 0;   ///< until it is as fast as it gets
  double seconds_to_best = 0;  ///< as the best fixed level gets
  double log_over_best = 0;    ///< its rate over that level's
};

struct Result {
  std::vector<AfterStep> steps{};
  std::vector<double> log_over_level{};  ///< all that it moved, over what each fixed level did
};

Progress run(const sim::Setup& setup, const PipelineOptions& options) {
  const auto policy = make_policy(options, *setup.ladder, setup.threads);
  return sim::run(setup, *policy).progress;
}

Result judge(const sim::ChangingWorld& world) {
  const double phase = world.phase_seconds;
  const double end = world.setup.limit_seconds;
  std::array<double, sim::ChangingWorld::kPhases> best{};
  const Progress own = run(world.setup, {});
  Result result;
  for (int level = 0; level <= world.setup.ladder->last(); ++level) {
    const Progress its = run(world.setup, {.policy = PolicyKind::fixed, .level = level});
    for (std::size_t i = 0; i < best.size(); ++i) {
      const double begin = static_cast<double>(i) * phase;
      best[i] = std::max(best[i], rate(its, begin + phase / 2, begin + phase));
    }
    result.log_over_level.push_back(std::log(at(own, end) / std::max(1.0, at(its, end))));
  }
  for (std::size_t i = 1; i < best.size(); ++i) {
    const double begin = static_cast<double>(i) * phase;
    const double settled = rate(own, begin + phase / 2, begin + phase);
    result.steps.push_back(
        {.up = (i % 2 == 1) == (world.after > world.before),
         .bits_per_second = 8 * (i % 2 == 1 ? world.after : world.before),
         .seconds_to_own = seconds_to(settled, own, begin, begin + phase),
         .seconds_to_best = seconds_to(best[i], own, begin, begin + phase),
         .log_over_best = std::log(std::max(1.0, settled) / std::max(1.0, best[i]))});
  }
  return result;
}

std::vector<Result> judge_all(std::uint64_t seed, std::size_t worlds, const Ladder& ladder) {
  const auto families = sim::families_of(sim::read_kinds(ADOC_LEVELS_CSV));
  std::vector<Result> results(worlds);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < results.size(); i = next++)
      results[i] = judge(sim::make_changing_world(ladder, families, seed, i));
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  threads.clear();
  return results;
}

void print_row(const char* name, const std::vector<Result>& results,
               const std::function<bool(const AfterStep&)>& belongs) {
  std::vector<double> over_best;
  double own = 0;
  double best = 0;
  for (const Result& result : results)
    for (const AfterStep& step : result.steps) {
      if (!belongs(step)) continue;
      // Turned round: the 95 % point is then what all but a twentieth reach.
      over_best.push_back(-step.log_over_best);
      own += step.seconds_to_own <= kGoalSeconds ? 1 : 0;
      best += step.seconds_to_best <= kGoalSeconds ? 1 : 0;
    }
  const auto count = static_cast<double>(over_best.size());
  if (over_best.empty()) return;
  const sim::Score score = sim::score(std::move(over_best));
  std::printf("| %s | %.0f | %.1f %% | %.1f %% | %.3f %.2f |\n", name, count, 100 * own / count,
              100 * best / count, 1 / score.mean, 1 / score.most);
}

void print_levels(const std::vector<Result>& results) {
  std::vector<double> over_best;
  for (const Result& result : results)
    over_best.push_back(-*std::ranges::min_element(result.log_over_level));
  const sim::Score best = sim::score(std::move(over_best));
  std::size_t closest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t level = 0; level < results.front().log_over_level.size(); ++level) {
    double sum = 0;
    for (const Result& result : results) sum += result.log_over_level[level];
    if (sum >= least) continue;
    least = sum;
    closest = level;
  }
  std::printf(
      "\nAll that it moved: %.2f times as much as level %zu, which comes closest of those "
      "that are\nthe same in all worlds; %.3f (95 %% of the worlds: %.2f) of the best level "
      "of each world in\nhindsight.\n",
      std::exp(least / static_cast<double>(results.size())), closest, 1 / best.mean, 1 / best.most);
}

void print_page(std::uint64_t seed, std::size_t worlds) {
  const Ladder ladder = Ladder::named("auto");
  const auto results = judge_all(seed, worlds, ladder);
  std::printf(
      "Links that step between two rates, %zu worlds of seed %llu: steps after which nine "
      "tenths of\nits own rate, and of the best fixed level's, are reached within half a "
      "second; its own rate\nover that level's, mean and what 95 %% reach\n\n"
      "| steps | number | its own | the best level's | rate |\n|---|---:|---:|---:|---:|\n",
      worlds, static_cast<unsigned long long>(seed));
  print_row("all", results, [](const AfterStep&) { return true; });
  print_row("up", results, [](const AfterStep& step) { return step.up; });
  print_row("down", results, [](const AfterStep& step) { return !step.up; });
  constexpr std::array kBands{0.0, 10e6, 100e6, 1e9, 100e9};
  constexpr std::array kNames{"to below 10 Mbit/s", "to 10 to 100 Mbit/s",
                              "to 100 Mbit/s to 1 Gbit/s", "to above 1 Gbit/s"};
  for (std::size_t band = 0; band < kNames.size(); ++band)
    print_row(kNames[band], results, [&](const AfterStep& step) {
      return step.bits_per_second >= kBands[band] && step.bits_per_second < kBands[band + 1];
    });
  print_levels(results);
}

}  // namespace
}  // namespace adoc

int main(int argc, char** argv) {
  try {
    const std::span arguments(argv + 1, static_cast<std::size_t>(argc - 1));
    const bool has_worlds = arguments.size() == 3 && std::string_view(arguments[1]) == "--worlds";
    if (arguments.size() != 1 && !has_worlds) throw std::invalid_argument("a SEED is needed");
    const std::uint64_t worlds = has_worlds ? adoc::testkit::number(arguments[2]) : 300;
    if (worlds == 0) throw std::invalid_argument("there is no such number of worlds");
    adoc::print_page(adoc::testkit::number(arguments[0]), worlds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "change_score: %s\nusage: change_score SEED [--worlds N]\n", error.what());
    return 2;
  }
}
