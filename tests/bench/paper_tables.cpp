// Table 1 and Figure 3 of Jeannot 2002, measured on given files, as Markdown tables.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "codec/measure.hpp"

namespace {

constexpr const char* kUsage =
    "usage: paper_tables table1 MATRIX TAR [PASSES]   levels 1..9, each a median of PASSES (3)\n"
    "       paper_tables figure3 FILE...              size against block size, at level 1\n";

constexpr std::size_t kBlockBytes = 204'800;
constexpr double kAllowedLoss = 0.05;

// Table 1 of the paper: gzip, a Pentium III of 500 MHz.
struct PaperRow {
  double compress_seconds = 0;
  double ratio = 0;
  double decompress_seconds = 0;
};
constexpr std::array<PaperRow, 9> kPaperMatrix = {{{10.2, 4.88, 9.6},
                                                   {11, 5.13, 9.3},
                                                   {11.3, 5.52, 8.9},
                                                   {11.9, 5.83, 9},
                                                   {13.6, 6.32, 8.7},
                                                   {16.7, 6.64, 8.3},
                                                   {20.4, 6.75, 8.7},
                                                   {47.6, 6.99, 7.7},
                                                   {76, 7.02, 7.8}}};
constexpr std::array<PaperRow, 9> kPaperTar = {{{16.9, 2.23, 12},
                                                {17.2, 2.27, 12},
                                                {18.3, 2.31, 13.4},
                                                {21.7, 2.38, 13.7},
                                                {23.6, 2.43, 13.6},
                                                {28.3, 2.44, 13.7},
                                                {32.1, 2.45, 13.14},
                                                {44, 2.45, 13.1},
                                                {65.8, 2.46, 12.3}}};

std::vector<std::byte> read_file(const std::string& path) {
  std::vector<std::byte> data(std::filesystem::file_size(path));
  if (data.empty()) throw std::runtime_error(path + " is empty");
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  return data;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

PaperRow measure(const std::vector<std::byte>& data, int level, std::size_t block_bytes,
                 int passes) {
  const auto bytes = static_cast<double>(data.size());
  std::vector<double> compress;
  std::vector<double> decompress;
  double ratio = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const auto measured = adoc::measure_rung({adoc::CodecId::zlib, level}, data, {block_bytes, 0});
    compress.push_back(bytes / measured.compress_bytes_per_second);
    decompress.push_back(bytes / measured.decompress_bytes_per_second);
    ratio = measured.ratio;
  }
  return {median(compress), ratio, median(decompress)};
}

void table1_of(const char* title, const std::string& path,
               const std::array<PaperRow, 9>& paper_rows, int passes) {
  const auto data = read_file(path);
  std::printf("\n%s, %zu bytes\n\n", title, data.size());
  std::printf(
      "| level | c. time s | ratio | d. time s | ratio in blocks of 204,800 | paper: c. time s | "
      "paper: ratio | paper: d. time s |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int level = 1; level <= 9; ++level) {
    const PaperRow whole = measure(data, level, data.size(), passes);
    const PaperRow blocks = measure(data, level, kBlockBytes, 1);
    const PaperRow& paper = paper_rows.at(static_cast<std::size_t>(level) - 1);
    std::printf("| %d | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f | %.1f |\n", level,
                whole.compress_seconds, whole.ratio, whole.decompress_seconds, blocks.ratio,
                paper.compress_seconds, paper.ratio, paper.decompress_seconds);
    std::fflush(stdout);
  }
}

// Whether blocks of 204,800 bytes are within the paper's 5 % for every file.
bool figure3(const std::vector<std::string>& paths) {
  constexpr std::array<std::size_t, 12> kBlockSizes = {8 << 10,   16 << 10,    32 << 10,  64 << 10,
                                                       128 << 10, kBlockBytes, 256 << 10, 512 << 10,
                                                       1 << 20,   2 << 20,     4 << 20,   8 << 20};
  bool within = true;
  for (const auto& path : paths) {
    const auto data = read_file(path);
    const auto bytes = static_cast<double>(data.size());
    const double limit = bytes / measure(data, 1, data.size(), 1).ratio;
    std::printf("\n%s\n\n| block bytes | compressed bytes | above the limit |\n|---:|---:|---:|\n",
                std::filesystem::path(path).filename().string().c_str());
    double loss = 0;
    for (const std::size_t block_bytes : kBlockSizes) {
      const double stored = bytes / measure(data, 1, block_bytes, 1).ratio;
      std::printf("| %zu | %.0f | %.2f %% |\n", block_bytes, stored, (stored / limit - 1) * 100);
      std::fflush(stdout);
      if (block_bytes == kBlockBytes) loss = stored / limit - 1;
    }
    std::printf("| the whole file | %.0f | the limit |\n\n", limit);
    std::printf("Blocks of 204,800 bytes are %.2f %% above the limit: %s.\n", loss * 100,
                loss <= kAllowedLoss ? "within the paper's 5 %" : "MORE than the paper's 5 %");
    within = within && loss <= kAllowedLoss;
  }
  return within;
}

int run(const std::vector<std::string>& words) {
  if (words.size() >= 2 && words[0] == "figure3")
    return figure3({words.begin() + 1, words.end()}) ? EXIT_SUCCESS : EXIT_FAILURE;
  if (words.size() < 3 || words.size() > 4 || words[0] != "table1")
    throw std::invalid_argument("wrong arguments");
  const int passes = words.size() == 4 ? std::stoi(words[3]) : 3;
  if (passes < 1) throw std::invalid_argument("PASSES must be 1 or more");
  table1_of("Sparse matrix", words[1], kPaperMatrix, passes);
  table1_of("Tar of binaries", words[2], kPaperTar, passes);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::logic_error& error) {
    std::fprintf(stderr, "paper_tables: %s\n%s", error.what(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "paper_tables: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
