// What each level of a ladder does to given files, alone and pooled: as Markdown tables for people,
// or as CSV, which is what the simulator of the control floor takes for its data.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "codec/measure.hpp"
#include "codec/sample_stats.hpp"

namespace {

constexpr const char* kUsage =
    "usage: measure_levels [--ladder NAME]... [--block-bytes N] [--sample-bytes N] [--level N]... "
    "[--csv] FILE...\n"
    "  --ladder NAME     auto, zlib, zstd or lz4; given twice, the rungs of both (auto)\n"
    "  --block-bytes N   blocks of N bytes on their own, instead of each rung's own shape\n"
    "  --sample-bytes N  take only N bytes of each file, in long stretches spread evenly over it\n"
    "  --level N         only these levels (all)\n"
    "  --csv             file,level,rung,compress_MBps,ratio,decompress_MBps\n";

// Files have parts of several kinds, and dense levels need a long stretch of each.
constexpr std::uint64_t kStretchBytes = 8 << 20;

struct Arguments {
  std::vector<std::string> ladders;
  std::vector<int> only;
  std::size_t block_bytes = 0;     // 0: each rung's own shape
  std::uint64_t sample_bytes = 0;  // 0: all
  bool csv = false;
  std::vector<std::string> files;
};

std::size_t parse_positive(const std::string& text) {
  const long long value = std::stoll(text);
  if (value <= 0) throw std::invalid_argument(text);
  return static_cast<std::size_t>(value);
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--ladder") {
      arguments.ladders.push_back(words.at(++i));
    } else if (words[i] == "--block-bytes") {
      arguments.block_bytes = parse_positive(words.at(++i));
    } else if (words[i] == "--sample-bytes") {
      arguments.sample_bytes = parse_positive(words.at(++i));
    } else if (words[i] == "--level") {
      arguments.only.push_back(std::stoi(words.at(++i)));
    } else if (words[i] == "--csv") {
      arguments.csv = true;
    } else if (words[i].starts_with("-")) {
      throw std::invalid_argument(words[i]);
    } else {
      arguments.files.push_back(words[i]);
    }
  }
  if (arguments.files.empty()) throw std::invalid_argument("no FILE");
  if (arguments.ladders.empty()) arguments.ladders = {"auto"};
  return arguments;
}

struct Level {
  int number = 0;
  adoc::Rung rung;
};

std::vector<Level> levels_of(const Arguments& arguments) {
  std::vector<Level> levels;
  for (const auto& name : arguments.ladders) {
    const auto ladder = adoc::Ladder::named(name);
    for (int level = 0; level <= ladder.last(); ++level) {
      const bool known = std::ranges::any_of(
          levels, [&](const Level& other) { return other.rung == ladder[level]; });
      const bool asked = arguments.only.empty() ||
                         std::ranges::find(arguments.only, level) != arguments.only.end();
      if (asked && !known) levels.push_back({level, ladder[level]});
    }
  }
  return levels;
}

std::vector<std::byte> read_sample(const std::string& path, const Arguments& arguments) {
  const std::uint64_t size = std::filesystem::file_size(path);
  const bool all = arguments.sample_bytes == 0 || arguments.sample_bytes >= size;
  const std::uint64_t taken = all ? size : arguments.sample_bytes;
  const std::uint64_t stretches =
      all ? 1 : std::max<std::uint64_t>(1, arguments.sample_bytes / kStretchBytes);
  const std::uint64_t stretch = taken / stretches;
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  std::vector<std::byte> sample(static_cast<std::size_t>(stretch * stretches));
  for (std::uint64_t i = 0; i < stretches; ++i) {
    // In the middle of the part of the file that it stands for.
    file.seekg(static_cast<std::streamoff>(
        (2 * i + 1) * (size - stretch * stretches) / (2 * stretches) + i * stretch));
    file.read(reinterpret_cast<char*>(sample.data()) + i * stretch,
              static_cast<std::streamsize>(stretch));
  }
  return sample;
}

// Sums over files, from which speeds and ratios of all of them together follow.
struct Totals {
  double raw_bytes = 0;
  double stored_bytes = 0;
  double compress_seconds = 0;
  double decompress_seconds = 0;

  void add(const adoc::LevelMeasurement& measured, double bytes) {
    raw_bytes += bytes;
    stored_bytes += bytes / measured.ratio;
    compress_seconds += bytes / measured.compress_bytes_per_second;
    decompress_seconds += bytes / measured.decompress_bytes_per_second;
  }
};

void print_header(const std::string& title, const char* last_column, const char* last_rule) {
  std::printf("\n%s\n\n| level | rung | compress MB/s | ratio | decompress MB/s |%s\n",
              title.c_str(), last_column);
  std::printf("|---:|---|---:|---:|---:|%s\n", last_rule);
}

void print_row(const Level& level, const Totals& totals) {
  std::printf("| %d | %s | %.1f | %.4f | %.1f |", level.number, adoc::to_string(level.rung).c_str(),
              totals.raw_bytes / totals.compress_seconds / 1e6,
              totals.raw_bytes / totals.stored_bytes,
              totals.raw_bytes / totals.decompress_seconds / 1e6);
}

// The one that is at once faster and at least as dense; of several the densest.
const Level* beaten_by(std::size_t index, const std::vector<Level>& levels,
                       const std::vector<Totals>& pooled) {
  const Level* winner = nullptr;
  double smallest = pooled[index].stored_bytes;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (pooled[i].compress_seconds <= pooled[index].compress_seconds && i != index &&
        pooled[i].stored_bytes <= smallest) {
      winner = &levels[i];
      smallest = pooled[i].stored_bytes;
    }
  }
  return winner;
}

adoc::LevelMeasurement measure(const Level& level, const std::vector<std::byte>& data,
                               const Arguments& arguments) {
  const auto shape =
      arguments.block_bytes == 0
          ? adoc::block_shape(level.rung)
          : adoc::BlockShape{.block_bytes = arguments.block_bytes, .prefix_bytes = 0};
  return adoc::measure_rung(level.rung, data, shape);
}

void print_tables(const Arguments& arguments) {
  const auto levels = levels_of(arguments);
  std::vector<Totals> pooled(levels.size());
  for (const auto& path : arguments.files) {
    const auto data = read_sample(path, arguments);
    if (data.empty()) continue;
    print_header(std::filesystem::path(path).filename().string(), "", "");
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto measured = measure(levels[i], data, arguments);
      Totals alone;
      alone.add(measured, static_cast<double>(data.size()));
      print_row(levels[i], alone);
      std::printf("\n");
      std::fflush(stdout);
      pooled[i].add(measured, static_cast<double>(data.size()));
    }
  }
  print_header("all files", " verdict |", "---|");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level* winner = beaten_by(i, levels, pooled);
    print_row(levels[i], pooled[i]);
    std::printf(" %s |\n",
                winner == nullptr ? "stays" : ("beaten by " + to_string(winner->rung)).c_str());
  }
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "an unknown processor";
}

void print_csv(const Arguments& arguments) {
  const auto levels = levels_of(arguments);
  std::printf("# measured by measure_levels --csv: processor time of one thread, %s\n",
              processor().c_str());
  std::printf("file,level,rung,compress_MBps,ratio,decompress_MBps\n");
  for (const auto& path : arguments.files) {
    const auto data = read_sample(path, arguments);
    if (data.empty()) continue;
    const auto name = std::filesystem::path(path).filename().string();
    const auto stats = adoc::sample_stats(data);
    std::printf("# %s: %zu bytes, entropy %.2f bits%s\n", name.c_str(), data.size(),
                stats.entropy_bits, stats.random ? ", looks random" : "");
    for (const Level& level : levels) {
      const auto measured = measure(level, data, arguments);
      std::printf("%s,%d,%s,%.2f,%.4f,%.1f\n", name.c_str(), level.number,
                  to_string(level.rung).c_str(), measured.compress_bytes_per_second / 1e6,
                  measured.ratio, measured.decompress_bytes_per_second / 1e6);
      std::fflush(stdout);
    }
  }
}

void run(const Arguments& arguments) {
  if (arguments.csv) {
    print_csv(arguments);
  } else {
    print_tables(arguments);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
    return EXIT_SUCCESS;
  } catch (const std::logic_error& error) {
    std::fprintf(stderr, "measure_levels: %s\n%s", error.what(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "measure_levels: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
