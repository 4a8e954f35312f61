#include "bench/papers/pipeline/model.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace papers {
namespace {

constexpr std::array<int, 4> kThreads = {1, 2, 4, 8};
constexpr std::array<int, 6> kChunks = {2, 4, 8, 16, 32, 64};
constexpr std::array<std::size_t, 6> kSizes = {512, 1024, 2048, 4096, 32'768, 131'072};
constexpr double kAlpha = 0.60;
constexpr double kBeta = 0.15;
constexpr double kDelta = 0.25;
constexpr double kAsGood = 0.995;

double memory_of(const Configuration& one) {
  return static_cast<double>(one.chunk_bytes) * one.chunks;
}

const Configuration& best_of(std::span<const Configuration> all, const Bandwidth& bandwidth) {
  const auto values = trade_offs(all, bandwidth);
  return all[static_cast<std::size_t>(std::ranges::max_element(values) - values.begin())];
}

}  // namespace

double pipelined_seconds(std::span<const ChunkTimes> chunks, const PipelineSetup& setup) {
  if (setup.threads < 1 || setup.slots < 1) throw std::invalid_argument("no such pipeline");
  std::vector<double> compressors(static_cast<std::size_t>(setup.threads), 0);
  std::vector<double> decompressors = compressors;
  std::vector<double> slot_free(static_cast<std::size_t>(setup.slots), 0);
  double handed = 0;
  double sent = 0;
  double end = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const ChunkTimes& chunk = chunks[i];
    const bool raw = setup.raw_if_grown && chunk.wire_bytes >= chunk.raw_bytes;
    double& compressor = *std::ranges::min_element(compressors);
    double& slot = slot_free[i % slot_free.size()];
    compressor = std::max(compressor, slot) + chunk.compress;
    handed = std::max(handed, compressor + setup.wake_seconds) + setup.send_seconds;
    sent = std::max(sent, handed) + (raw ? chunk.raw_bytes : chunk.wire_bytes) * 8 / setup.link;
    handed = std::max(handed, sent - setup.socket_bytes * 8 / setup.link);
    slot = handed + setup.wake_seconds;
    double& decompressor = *std::ranges::min_element(decompressors);
    decompressor = std::max(decompressor, sent) + (raw ? 0 : chunk.decompress);
    end = std::max(end, decompressor);
  }
  return end;
}

double naive_seconds(const ChunkTimes& whole, double link) {
  return whole.compress + whole.wire_bytes * 8 / link + whole.decompress;
}

std::vector<double> trade_offs(std::span<const Configuration> configurations,
                               const Bandwidth& bandwidth) {
  if (configurations.empty()) throw std::invalid_argument("no configurations");
  std::vector<double> widths;
  double least_width = std::numeric_limits<double>::infinity();
  double least_memory = least_width;
  int least_threads = std::numeric_limits<int>::max();
  for (const Configuration& one : configurations) {
    widths.push_back(bandwidth(one));
    least_width = std::min(least_width, widths.back());
    least_memory = std::min(least_memory, memory_of(one));
    least_threads = std::min(least_threads, one.threads);
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    values.push_back(widths[i] / least_width * kAlpha -
                     memory_of(configurations[i]) / least_memory * kBeta -
                     static_cast<double>(configurations[i].threads) / least_threads * kDelta);
  }
  return values;
}

Choice choose(const Bandwidth& bandwidth) {
  Choice choice;
  for (const int threads : kThreads) {
    std::vector<Configuration> all;
    for (const int chunks : kChunks) {
      for (const std::size_t size : kSizes) all.push_back({threads, chunks, size});
    }
    const std::size_t size = best_of(all, bandwidth).chunk_bytes;
    double most = 0;
    for (const int chunks : kChunks) most = std::max(most, bandwidth({threads, chunks, size}));
    for (const int chunks : kChunks) {
      if (bandwidth({threads, chunks, size}) < most * kAsGood) continue;
      choice.by_threads.push_back({threads, chunks, size});
      break;
    }
  }
  choice.best = best_of(choice.by_threads, bandwidth);
  return choice;
}

}  // namespace papers
