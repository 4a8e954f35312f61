// What each level of a ladder does to given files, alone and pooled, as Markdown tables.

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

namespace {

constexpr const char* kUsage =
    "usage: measure_levels [--ladder NAME]... [--block-bytes N] [--sample-blocks N] FILE...\n"
    "  --ladder NAME       auto, zlib, zstd or lz4; given twice, the rungs of both (auto)\n"
    "  --block-bytes N     size of the blocks, each compressed on its own (204800)\n"
    "  --sample-blocks N   take only N blocks of each file, spread evenly over it\n";

struct Arguments {
  std::vector<std::string> ladders;
  std::size_t block_bytes = 204'800;
  std::size_t sample_blocks = 0;  // 0: all
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
    } else if (words[i] == "--sample-blocks") {
      arguments.sample_blocks = parse_positive(words.at(++i));
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

std::vector<Level> levels_of(const std::vector<std::string>& ladders) {
  std::vector<Level> levels;
  for (const auto& name : ladders) {
    const auto ladder = adoc::Ladder::named(name);
    for (int level = 0; level <= ladder.top(); ++level) {
      const bool known = std::ranges::any_of(
          levels, [&](const Level& other) { return other.rung == ladder[level]; });
      if (!known) levels.push_back({level, ladder[level]});
    }
  }
  return levels;
}

std::vector<std::byte> read_sample(const std::string& path, const Arguments& arguments) {
  const std::uint64_t size = std::filesystem::file_size(path);
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  const std::uint64_t blocks = (size + arguments.block_bytes - 1) / arguments.block_bytes;
  const std::uint64_t taken = arguments.sample_blocks == 0
                                  ? blocks
                                  : std::min<std::uint64_t>(blocks, arguments.sample_blocks);
  std::vector<std::byte> sample;
  for (std::uint64_t i = 0; i < taken; ++i) {
    const std::uint64_t offset = i * blocks / taken * arguments.block_bytes;
    const std::uint64_t bytes = std::min<std::uint64_t>(arguments.block_bytes, size - offset);
    const std::size_t before = sample.size();
    sample.resize(before + static_cast<std::size_t>(bytes));
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(sample.data() + before), static_cast<std::streamsize>(bytes));
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

void run(const Arguments& arguments) {
  const auto levels = levels_of(arguments.ladders);
  std::vector<Totals> pooled(levels.size());
  for (const auto& path : arguments.files) {
    const auto data = read_sample(path, arguments);
    if (data.empty()) continue;
    print_header(std::filesystem::path(path).filename().string(), "", "");
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto measured = adoc::measure_rung(levels[i].rung, data, {arguments.block_bytes, 0});
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
