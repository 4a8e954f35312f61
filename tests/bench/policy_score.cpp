// How far the policies are from the best mixture of levels in hindsight, in random worlds of the
// simulator: one page of Markdown. The same seed and options give the same page.
//
//   policy_score SEED [--worlds N] [--family NAME | --without NAME] [--levels CSV] [--oracles]
//
// With --oracles: what first transfers come to when the policy knows link, data or receiver before
// they begin.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/number.hpp"
#include "support/oracle.hpp"
#include "support/score.hpp"
#include "support/sim_data.hpp"

namespace adoc {
namespace {

struct Options {
  std::uint64_t seed = 0;
  std::size_t worlds = 2'000;
  std::string only{};
  std::string without{};
  std::string levels = ADOC_LEVELS_CSV;
  bool oracles = false;
};

Options options_of(std::span<char* const> arguments) {
  Options options;
  bool has_seed = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with("--")) {
      options.seed = testkit::number(argument);
      has_seed = true;
      continue;
    }
    if (argument == "--oracles") {
      options.oracles = true;
      continue;
    }
    if (i + 1 == arguments.size())
      throw std::invalid_argument(std::string(argument) + " needs a value");
    const std::string value = arguments[++i];
    if (argument == "--worlds")
      options.worlds = testkit::number(value);
    else if (argument == "--family")
      options.only = value;
    else if (argument == "--without")
      options.without = value;
    else if (argument == "--levels")
      options.levels = value;
    else
      throw std::invalid_argument("unknown option " + std::string(argument));
  }
  if (!has_seed) throw std::invalid_argument("a SEED is needed");
  return options;
}

struct Result {
  sim::World world{};
  sim::Judged judged{};
  std::vector<double> told{};  ///< with each of kOracles
};

struct NamedOracle {
  const char* name = nullptr;
  sim::Oracle oracle{};
};
constexpr std::array kOracles{
    NamedOracle{"the link's rate", {.rate = true}},
    NamedOracle{"the data", {.data = true}},
    NamedOracle{"the receiver", {.receiver = true}},
    NamedOracle{"rate and data", {.rate = true, .data = true}},
    NamedOracle{"all three", {.rate = true, .data = true, .receiver = true}},
};

std::vector<Result> judge_all(const Options& options, const Ladder& ladder,
                              const std::vector<sim::Family>& families) {
  std::vector<Result> results(options.worlds);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < results.size(); i = next++) {
      results[i].world = sim::make_world(ladder, families, options.seed, i);
      results[i].judged = sim::judge(results[i].world);
      if (!options.oracles) continue;
      const sim::Setup& first = results[i].world.first;
      for (const NamedOracle& its : kOracles)
        results[i].told.push_back(sim::score_of(first, sim::run(first, its.oracle)));
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  threads.clear();
  return results;
}

void print_row(const std::string& name, const std::vector<Result>& results,
               const std::function<bool(const sim::World&)>& belongs) {
  const auto column = [&](double sim::Judged::*member) {
    std::vector<double> values;
    for (const Result& result : results)
      if (belongs(result.world)) values.push_back(result.judged.*member);
    return sim::score(std::move(values));
  };
  std::printf("| %s | %zu |", name.c_str(), column(&sim::Judged::first).worlds);
  for (double sim::Judged::*const member :
       {&sim::Judged::first, &sim::Judged::same, &sim::Judged::other, &sim::Judged::law,
        &sim::Judged::fixed}) {
    const sim::Score score = column(member);
    std::printf(score.worlds == 0 ? " |" : " %.3f %.2f %.2f |", score.mean, score.most,
                score.worst);
  }
  std::puts("");
}

constexpr std::array kBands{1e6, 10e6, 100e6, 1e9, 10e9, 100e9};
constexpr std::array kNames{"1 to 10 Mbit/s", "10 to 100 Mbit/s", "100 Mbit/s to 1 Gbit/s",
                            "1 to 10 Gbit/s", "above 10 Gbit/s"};

bool in_band(const sim::World& world, std::size_t band) {
  return world.bits_per_second >= kBands[band] && world.bits_per_second < kBands[band + 1];
}

/// A row for each oracle: the mean, 95 %, worst, and the means by band of the link's rate.
void print_told(const char* name, const std::vector<Result>& results,
                const std::function<double(const Result&)>& value_of) {
  std::vector<double> all;
  std::array<std::vector<double>, kNames.size()> bands;
  for (const Result& result : results) {
    all.push_back(value_of(result));
    for (std::size_t band = 0; band < bands.size(); ++band)
      if (in_band(result.world, band)) bands[band].push_back(value_of(result));
  }
  const sim::Score score = sim::score(std::move(all));
  std::printf("| %s | %.3f %.2f %.2f |", name, score.mean, score.most, score.worst);
  for (auto& band : bands) {
    const sim::Score its = sim::score(std::move(band));
    std::printf(its.worlds == 0 ? " |" : " %.3f |", its.mean);
  }
  std::puts("");
}

void print_oracles(const std::vector<Result>& results) {
  std::puts("\nFirst transfers, when the policy knows beforehand\n");
  std::printf("| | all |");
  for (const char* name : kNames) std::printf(" %s |", name);
  std::puts("\n|---|---|---:|---:|---:|---:|---:|");
  print_told("nothing", results, [](const Result& result) { return result.judged.first; });
  for (std::size_t i = 0; i < kOracles.size(); ++i)
    print_told(kOracles[i].name, results, [i](const Result& result) { return result.told[i]; });
  print_told("(best fixed level)", results,
             [](const Result& result) { return result.judged.fixed; });
}

void print_page(const Options& options) {
  const Ladder ladder = Ladder::named("auto");
  auto families = sim::families_of(sim::read_kinds(options.levels));
  std::erase_if(families, [&](const sim::Family& family) {
    return family.name == options.without || (!options.only.empty() && family.name != options.only);
  });
  if (families.empty()) throw std::invalid_argument("there is no such family");
  const auto results = judge_all(options, ladder, families);
  std::printf(
      "Time over the best mixture of levels in hindsight, %zu worlds of seed %llu: geometric mean, "
      "95 %%, worst\n\n"
      "| worlds | number | auto: first transfer | later, same data | later, other data | the "
      "paper's law | best fixed level |\n"
      "|---|---:|---:|---:|---:|---:|---:|\n",
      results.size(), static_cast<unsigned long long>(options.seed));
  print_row("all", results, [](const sim::World&) { return true; });
  for (std::size_t band = 0; band < kNames.size(); ++band)
    print_row(kNames[band], results, [&](const sim::World& world) { return in_band(world, band); });
  for (const sim::Family& family : families)
    print_row(family.name, results,
              [&](const sim::World& world) { return world.family == family.name; });
  if (options.oracles) print_oracles(results);
}

}  // namespace
}  // namespace adoc

int main(int argc, char** argv) {
  try {
    const std::span arguments(argv, static_cast<std::size_t>(argc));
    adoc::print_page(adoc::options_of(arguments.subspan(1)));
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "policy_score: %s\nusage: policy_score SEED [--worlds N] "
                 "[--family NAME | --without NAME] [--levels CSV] [--oracles]\n",
                 error.what());
    return 2;
  }
}
