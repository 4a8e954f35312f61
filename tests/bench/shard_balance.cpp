// How evenly the shards of a tree are: the very functions by which senders find their shard, over
// files with the sizes that Agrawal, Arpaci-Dusseau and Arpaci-Dusseau measured ("Generating
// Realistic Impressions for File-System Benchmarking", FAST 2009, table 2): lognormal with a Pareto
// tail. Prints, for each number of senders, what the slowest has over the mean, in bytes, in
// entries and in time.
//
//   shard_balance [FILES [SEED]]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "wire/share.hpp"

namespace adoc {
namespace {

constexpr double kBodyMu = 9.48;
constexpr double kBodySigma = 2.46;
constexpr double kInTail = 0.00006;
constexpr double kTailShape = 0.91;
constexpr double kTailBytes = 512e6;
constexpr double kMostBytes = 10e12;

/// What a sender takes for an entry and for a byte.
constexpr double kEntrySeconds = 30e-6;
constexpr double kByteSeconds = 1e-9;

struct File {
  std::uint64_t size = 0;
  std::uint32_t directory = 0;
};

std::vector<File> make_files(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> body(kBodyMu, kBodySigma);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<File> files(count);
  for (File& file : files) {
    const double bytes = uniform(random) < kInTail
                             ? kTailBytes * std::pow(1 - uniform(random), -1 / kTailShape)
                             : body(random);
    file.size = static_cast<std::uint64_t>(std::min(bytes, kMostBytes));
    file.directory = static_cast<std::uint32_t>(random() % 40'000);
  }
  return files;
}

struct Load {
  double bytes = 0;
  double entries = 0;

  [[nodiscard]] double seconds() const { return entries * kEntrySeconds + bytes * kByteSeconds; }
};

template <typename Of>
double worst_over_mean(const std::vector<Load>& loads, Of of) {
  double most = 0, sum = 0;
  for (const Load& load : loads) {
    most = std::max(most, of(load));
    sum += of(load);
  }
  return most / (sum / static_cast<double>(loads.size()));
}

void print_row(const std::vector<File>& files, std::uint32_t count) {
  std::vector<Load> loads(count);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const File& file = files[i];
    const std::string name = "tree/d" + std::to_string(file.directory % 200) + "/d" +
                             std::to_string(file.directory) + "/file-" + std::to_string(i);
    if (file.size <= kSplitBytes || count == 1) {
      Load& load = loads[shard_of_name(name, count) - 1];
      load.bytes += static_cast<double>(file.size);
      ++load.entries;
      continue;
    }
    for (std::uint32_t number = 1; number <= count; ++number) {
      const SharePieces pieces({number, count}, name, file.size);
      if (!pieces.next(0)) continue;
      loads[number - 1].bytes += static_cast<double>(pieces.bytes());
      ++loads[number - 1].entries;
    }
  }
  double bytes = 0;
  for (const Load& load : loads) bytes += load.bytes;
  std::printf("%7u %14.2f %10.4f %10.4f %10.4f\n", count, bytes / count / 1e9,
              worst_over_mean(loads, [](const Load& load) { return load.bytes; }),
              worst_over_mean(loads, [](const Load& load) { return load.entries; }),
              worst_over_mean(loads, [](const Load& load) { return load.seconds(); }));
}

}  // namespace
}  // namespace adoc

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const auto files = adoc::make_files(count, seed);
  double bytes = 0, largest = 0;
  for (const adoc::File& file : files) {
    bytes += static_cast<double>(file.size);
    largest = std::max(largest, static_cast<double>(file.size));
  }
  std::printf("%zu files, %.3f TB, the largest %.3f TB\n\n", count, bytes / 1e12, largest / 1e12);
  std::printf("what the most loaded sender has over the mean\n");
  std::printf("%7s %14s %10s %10s %10s\n", "senders", "mean GB", "bytes", "entries", "time");
  for (const std::uint32_t senders : {1U, 2U, 4U, 10U, 32U, 100U, 320U, 1'000U})
    adoc::print_row(files, senders);
  return 0;
}
