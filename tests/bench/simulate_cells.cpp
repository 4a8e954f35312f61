// What the simulator says of cells of the race: for each cell the seconds and the bytes on the wire
// of every fixed level, of `auto` on its first transfer, of the same if it knew link and data
// beforehand ("told"), and of the paper's law; and the seconds of the best mixture of levels, with
// nothing to learn and all ends busy to the end, which no policy is faster than ("least").
// tests/bench/calibrate puts levels, `auto` and law beside what was measured.
//
//   simulate_cells LEVELS.csv PROCESSORS <CELLS
//
// LEVELS.csv is what measure_levels --csv wrote of the files of the cells, on the machine of the
// race. PROCESSORS: "pinned", one for each end, or "shared", both ends on two. CELLS has a line for
// each cell: FILE BYTES BYTES_PER_SECOND. The output is CSV: file,bytes,rate,tool,seconds,wire.

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/oracle.hpp"
#include "support/sim_data.hpp"

namespace adoc {
namespace {

/// Of each the median is taken: blocks take more or less time by chance.
constexpr std::uint64_t kRuns = 5;

struct Cell {
  std::string file{};
  double bytes = 0;
  double bytes_per_second = 0;
};

sim::Setup setup_of(const Cell& cell, const sim::Kind& kind, const Ladder& ladder, bool shared) {
  sim::Setup setup;
  setup.ladder = &ladder;
  setup.data = {{&kind, cell.bytes}};
  setup.link = {{0, cell.bytes_per_second}};
  if (shared) {
    setup.share_machine();
    return setup;
  }
  setup.threads = setup.receiver_threads = 1;
  setup.cores = setup.receiver_cores = 1;
  return setup;
}

struct Median {
  double seconds = 0;
  double wire_bytes = 0;
};

/// `run`: gives the outcome of one transfer.
Median median_of(sim::Setup setup, const std::function<sim::Outcome(const sim::Setup&)>& run) {
  std::vector<sim::Outcome> runs;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    setup.seed = seed;
    runs.push_back(run(setup));
  }
  std::ranges::sort(runs, {}, &sim::Outcome::seconds);
  const sim::Outcome& median = runs[runs.size() / 2];
  return {.seconds = median.seconds, .wire_bytes = median.wire_bytes};
}

Median simulate(const sim::Setup& setup, const PipelineOptions& options) {
  return median_of(setup, [&](const sim::Setup& its) {
    const auto policy = make_policy(options, *its.ladder, its.threads);
    return sim::run(its, *policy);
  });
}

Median told(const sim::Setup& setup) {
  return median_of(setup, [](const sim::Setup& its) {
    return sim::run(its, sim::Oracle{.rate = true, .data = true});
  });
}

void print(const Cell& cell, const std::string& tool, const Median& median) {
  std::printf("%s,%.0f,%.0f,%s,%.6f,%.0f\n", cell.file.c_str(), cell.bytes, cell.bytes_per_second,
              tool.c_str(), median.seconds, median.wire_bytes);
}

void simulate_all(const std::string& levels, bool shared) {
  const Ladder ladder = Ladder::named("auto");
  const auto kinds = sim::read_kinds(levels);
  std::puts("file,bytes,rate,tool,seconds,wire");
  for (Cell cell; std::cin >> cell.file >> cell.bytes >> cell.bytes_per_second;) {
    const auto kind = kinds.find(cell.file);
    if (kind == kinds.end()) throw std::invalid_argument("no levels of " + cell.file);
    const sim::Setup setup = setup_of(cell, kind->second, ladder, shared);
    print(cell, "auto", simulate(setup, {}));
    print(cell, "told", told(setup));
    print(cell, "least", {.seconds = sim::least_seconds(setup)});
    print(cell, "law", simulate(setup, {.policy = PolicyKind::adoc}));
    const auto measured = static_cast<int>(kind->second.levels.size()) - 1;
    for (int level = 0; level <= std::min(ladder.last(), measured); ++level)
      print(cell, std::to_string(level),
            simulate(setup, {.policy = PolicyKind::fixed, .level = level}));
  }
}

}  // namespace
}  // namespace adoc

int main(int argc, char** argv) {
  try {
    const std::string processors = argc == 3 ? argv[2] : "";
    if (processors != "pinned" && processors != "shared")
      throw std::invalid_argument("usage: simulate_cells LEVELS.csv pinned|shared <CELLS");
    adoc::simulate_all(argv[1], processors == "shared");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simulate_cells: %s\n", error.what());
    return 2;
  }
}
