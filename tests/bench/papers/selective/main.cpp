// Niwa 2022: Table I on files, and Figures 7 to 12 by simulation, as Markdown tables.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/papers/files.hpp"
#include "bench/papers/program.hpp"
#include "bench/papers/selective/fpc.hpp"
#include "bench/papers/selective/lsb_cut.hpp"
#include "bench/papers/selective/network.hpp"
#include "codec/measure.hpp"

namespace papers {
namespace {

constexpr const char* kUsage =
    "usage: paper_selective ratios int|double FILE...   FPC or LSB-cut beside zlib level 6\n"
    "       paper_selective figures [--waits] [--curves] [FIGURE...]   7 to 12, default all\n"
    "--waits: a compressor that takes no packet while it has one; --curves: every point\n";

constexpr std::array<Method, 3> kMethods = {Method::never, Method::always, Method::selective};
constexpr unsigned kCut = 28;
constexpr std::uint64_t kGraphSeed = 2022;

template <typename Value>
std::vector<Value> values_of(const std::string& path) {
  const auto data = read_file(path);
  if (data.size() % sizeof(Value) != 0) throw std::runtime_error(path + ": a value is cut");
  std::vector<Value> values(data.size() / sizeof(Value));
  std::memcpy(values.data(), data.data(), data.size());
  return values;
}

double zlib_ratio(const std::string& path) {
  const auto data = read_file(path);
  return adoc::measure_rung({adoc::CodecId::zlib, 6}, data, {data.size(), 0}).ratio;
}

std::string name_of_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

void integer_ratio(const std::string& path) {
  const auto values = values_of<std::int32_t>(path);
  const FpcCoded coded = fpc_encode(values);
  if (fpc_decode(coded.bytes, values.size()) != values) throw std::logic_error("FPC lost values");
  const double bits = static_cast<double>(values.size()) * 32;
  std::printf("| %s | FPC | %.2f | %.2f | none |\n", name_of_file(path).c_str(),
              bits / static_cast<double>(coded.bits), zlib_ratio(path));
}

void double_ratio(const std::string& path) {
  const auto values = values_of<double>(path);
  const auto coded = lsb_cut_encode(values, kCut);
  const auto back = lsb_cut_decode(coded, values.size(), kCut);
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnormal(values[i])) continue;
    worst = std::max(worst, std::abs(back[i] - values[i]) / std::abs(values[i]));
  }
  std::printf("| %s | LSB-cut of %u bits | %.2f | %.2f | %.2g |\n", name_of_file(path).c_str(),
              kCut, static_cast<double>(values.size()) * 8 / static_cast<double>(coded.size()),
              zlib_ratio(path), worst);
}

struct Curve {
  std::string title;
  Topology topology;
  Scenario scenario;
};

struct Figures {
  bool pipelined = true;
  bool curves = false;
};

std::vector<Curve> curves_of(int figure) {
  const auto random = [](int nodes) { return Topology::random(nodes, 4, kGraphSeed); };
  std::vector<Curve> curves;
  switch (figure) {
    case 7:
    case 8:
      for (const Pattern pattern : {Pattern::uniform, Pattern::transpose, Pattern::bit_reversal}) {
        curves.push_back({"8x8 mesh, " + std::string(name_of(pattern)), Topology::mesh(8), {}});
        curves.back().scenario.pattern = pattern;
      }
      break;
    case 9:
      curves.push_back({"8x8 mesh, uniform", Topology::mesh(8), {}});
      curves.push_back({"8x8 torus, uniform", Topology::torus(8), {}});
      curves.push_back({"64 switches at random, uniform", random(64), {}});
      break;
    case 10:
    case 11:
      curves.push_back({"4x4 mesh, uniform", Topology::mesh(4), {}});
      curves.push_back({"4x4 torus, uniform", Topology::torus(4), {}});
      curves.push_back({"16 switches at random, uniform", random(16), {}});
      break;
    case 12:
      for (const int cycles : {5, 7, 9}) {
        curves.push_back({"8x8 mesh, uniform, " + std::to_string(cycles) + " cycles a switch",
                          Topology::mesh(8),
                          {}});
        curves.back().scenario.switch_cycles = cycles;
      }
      break;
    default:
      throw std::invalid_argument(kUsage);
  }
  return curves;
}

// Offered loads in flits a cycle and node, the first one nearly none.
constexpr std::array<double, 16> kLoads = {0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35,
                                           0.4,  0.45, 0.5, 0.6,  0.7, 0.8,  0.9, 1.0};
constexpr int kSaturatedPoints = 2;  // after so many the curve of a method ends

using Points = std::vector<Outcome>;                // by load, as far as the curve goes
using Sweep = std::array<Points, kMethods.size()>;  // by method

Points points_of(const Curve& curve, Method method, bool pipelined) {
  Points points;
  int saturated = 0;
  for (const double offered : kLoads) {
    Scenario scenario = curve.scenario;
    scenario.pipelined = pipelined;
    scenario.offered = offered;
    scenario.method = method;
    points.push_back(simulate(curve.topology, scenario));
    if (!points.back().all_arrived && ++saturated == kSaturatedPoints) break;
  }
  return points;
}

std::vector<Sweep> sweep(const std::vector<Curve>& curves, bool pipelined) {
  std::vector<Sweep> sweeps(curves.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t job = next++; job < curves.size() * kMethods.size(); job = next++) {
      const std::size_t curve = job / kMethods.size();
      const std::size_t method = job % kMethods.size();
      sweeps[curve][method] = points_of(curves[curve], kMethods[method], pipelined);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
      threads.emplace_back(work);
    }
  }
  return sweeps;
}

void print_curve(const Curve& curve, const Sweep& sweep) {
  std::printf(
      "\n%s: accepted traffic in flits a cycle and node, latency in cycles (+: saturated, "
      "not all arrived)\n\n",
      curve.title.c_str());
  std::printf(
      "| offered | never: accepted | latency | always: accepted | latency | "
      "selective: accepted | latency | compressed |\n|---:|---:|---:|---:|---:|---:|---:|"
      "---:|\n");
  for (std::size_t load = 0; load < kLoads.size(); ++load) {
    if (std::ranges::all_of(sweep, [&](const Points& one) { return load >= one.size(); })) break;
    std::printf("| %.2f |", kLoads[load]);
    for (const Points& points : sweep) {
      if (load >= points.size()) {
        std::printf(" | |");
        continue;
      }
      const Outcome& one = points[load];
      std::printf(" %.3f | %.0f%s |", one.accepted, one.latency, one.all_arrived ? "" : "+");
    }
    if (load < sweep[2].size()) std::printf(" %.0f %%", sweep[2][load].compressed * 100);
    std::printf(" |\n");
  }
}

// The point with the greatest accepted traffic.
const Outcome& limit_of(const Points& points) {
  return *std::ranges::max_element(points, {}, &Outcome::accepted);
}

void print_summary(const Curve& curve, const Sweep& sweep) {
  const double never = limit_of(sweep[0]).accepted;
  const double always = limit_of(sweep[1]).accepted;
  const Outcome& selective = limit_of(sweep[2]);
  // The last load at which the network without compression is at most half full.
  std::size_t half = 0;
  while (half + 1 < sweep[0].size() && sweep[0][half + 1].accepted <= never / 2) ++half;
  std::printf(
      "| %s | %.3f | %.3f | %.3f | %+.0f %% | %+.0f %% | %.0f / %.0f / %.0f | %.0f / %.0f / "
      "%.0f | %.0f, %.0f, %.0f %% |\n",
      curve.title.c_str(), never, always, selective.accepted, (always / never - 1) * 100,
      (selective.accepted / never - 1) * 100, sweep[0][0].latency, sweep[1][0].latency,
      sweep[2][0].latency, sweep[0][half].latency, sweep[1][half].latency, sweep[2][half].latency,
      sweep[2][0].compressed * 100, sweep[2][half].compressed * 100, selective.compressed * 100);
}

void figures(const std::vector<int>& wanted, const Figures& how) {
  std::printf(
      "Simulated. Throughput in flits a cycle and node, latency in cycles: never / always / "
      "selective.\nCompressor: %s.\n\n",
      how.pipelined ? "takes the next packet while it works"
                    : "one packet at a time, injection included");
  if (!how.curves) {
    std::printf(
        "| network | never | always | selective | always gains | selective gains | "
        "latency at 0.01 | latency at half load | compressed: at 0.01, half load, "
        "limit |\n|---|---:|---:|---:|---:|---:|---|---|---|\n");
  }
  std::vector<Curve> curves;
  for (const int figure : wanted) {
    for (const Curve& curve : curves_of(figure)) curves.push_back(curve);
  }
  const auto sweeps = sweep(curves, how.pipelined);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    how.curves ? print_curve(curves[i], sweeps[i]) : print_summary(curves[i], sweeps[i]);
  }
}

int run(const std::vector<std::string>& words) {
  if (words.size() >= 3 && words[0] == "ratios" && (words[1] == "int" || words[1] == "double")) {
    std::printf(
        "| file | codec | ratio | zlib 6 | greatest relative error |\n"
        "|---|---|---:|---:|---:|\n");
    for (std::size_t i = 2; i < words.size(); ++i) {
      words[1] == "int" ? integer_ratio(words[i]) : double_ratio(words[i]);
    }
    return EXIT_SUCCESS;
  }
  if (words.empty() || words[0] != "figures") throw std::invalid_argument(kUsage);
  Figures how;
  std::vector<int> wanted;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--waits") {
      how.pipelined = false;
    } else if (words[i] == "--curves") {
      how.curves = true;
    } else {
      wanted.push_back(std::atoi(words[i].c_str()));
    }
  }
  // 8 and 11 are the last column of 7 and 10.
  if (wanted.empty()) wanted = {7, 9, 10, 12};
  figures(wanted, how);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  return papers::main_of("paper_selective", argc, argv, papers::run);
}
