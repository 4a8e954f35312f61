#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <map>
#include <system_error>
#include <thread>

#include "adoc/error.hpp"
#include "adoc/levels.hpp"
#include "codec/advice.hpp"
#include "pipeline/threads.hpp"
#include "source/sample.hpp"
#include "util/fd.hpp"

namespace adoc {
namespace {

/// Chunks are small: a part of the sample holds plenty of them.
constexpr std::size_t kChunkSampleBytes = 512 << 10;
/// A dense level takes about 100 MB.
constexpr std::size_t kMostWorkers = 4;
/// Penaranda 2024, Table 1.
constexpr std::array<std::size_t, 6> kChunkBytes{512,     1 << 10,  2 << 10,
                                                 4 << 10, 32 << 10, 128 << 10};

std::size_t threads_of(const PipelineOptions& options) {
  return options.threads != 0 ? std::min(options.threads, processors()) : processors();
}

BlockShape shape_of(const PipelineOptions& options, const Rung& rung) {
  if (options.block_bytes == 0) return block_shape(rung);
  return {.block_bytes = options.block_bytes, .prefix_bytes = 0};
}

/// What a packet costs whatever its size: a system call that sends and one that receives. The
/// queue in front of them takes a tenth of that.
double packet_seconds() {
  constexpr int kPackets = 2'000;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return 2e-6;
  const Fd in(ends[0]);
  const Fd out(ends[1]);
  char byte = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kPackets; ++i) {
    if (::send(in.get(), &byte, 1, 0) != 1 || ::recv(out.get(), &byte, 1, 0) != 1) return 2e-6;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / kPackets;
}

std::vector<ChunkMeasurement> measure_chunks(const Rung& rung, ByteSpan sample) {
  const ByteSpan part = sample.first(std::min(kChunkSampleBytes, sample.size()));
  std::vector<ChunkMeasurement> chunks;
  for (const std::size_t bytes : kChunkBytes) {
    chunks.push_back(
        {.chunk_bytes = bytes, .measured = measure_rung(rung, part, {.block_bytes = bytes})});
  }
  return chunks;
}

std::size_t packet_bytes(const LevelMeasurement& measured, std::size_t block_bytes,
                         double seconds_of_packet) {
  const double best =
      best_packet_bytes({.block_bytes = static_cast<double>(block_bytes),
                         .ratio = measured.ratio,
                         .compress_seconds_per_byte = 1 / measured.compress_bytes_per_second,
                         .decompress_seconds_per_byte = 1 / measured.decompress_bytes_per_second,
                         .packet_seconds = seconds_of_packet});
  // What --packet-size takes, and a packet is not longer than what its block becomes.
  const double most = std::min(static_cast<double>(kMaxPacketBytes),
                               static_cast<double>(block_bytes) / measured.ratio);
  return static_cast<std::size_t>(
      std::max(static_cast<double>(kMinPacketBytes), std::min(best, most)));
}

void check(const MeasureOptions& options) {
  if (options.path.empty()) throw Error(ErrorKind::usage, "there is no path to measure");
  if (options.sample_bytes == 0) throw Error(ErrorKind::usage, "sample_bytes is 0");
  const std::size_t block = options.pipeline.block_bytes;
  if (block != 0 && (block < kMinBlockBytes || block > kMaxBlockBytes))
    throw Error(ErrorKind::usage, "", Hint::block_bytes,
                std::string(" ") + std::to_string(block) + ": it goes from " +
                    std::to_string(kMinBlockBytes) + " to " + std::to_string(kMaxBlockBytes));
  for (const double link : options.links_bytes_per_second)
    if (!(link > 0) || !std::isfinite(link))
      throw Error(ErrorKind::usage, "a link has no rate that it can have");
}

using Measured = std::vector<LevelMeasurement>;

/// Every level, each with blocks of its own shape, on a thread of its own.
Measured measure_all(const PipelineOptions& options, ByteSpan sample,
                     const MeasureObserver& observer, const std::stop_token& stop) {
  const Ladder ladder = Ladder::of(options.ladder);
  Measured levels(static_cast<std::size_t>(ladder.last()) + 1);
  std::atomic<std::size_t> begun = 0;
  const auto work = [&] {
    for (std::size_t step = begun++; step < levels.size(); step = begun++) {
      if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
      if (observer.on_level) observer.on_level(step, levels.size());
      // The densest takes longest, so it comes first.
      const std::size_t level = levels.size() - 1 - step;
      const Rung& rung = ladder[static_cast<int>(level)];
      levels[level] = measure_rung(rung, sample, shape_of(options, rung));
    }
  };
  std::vector<std::future<void>> others;
  try {
    for (std::size_t i = 1; i < std::min(processors(), kMostWorkers); ++i)
      others.push_back(std::async(std::launch::async, work));
  } catch (const std::system_error&) {
    // No more threads: those that there are take longer.
  }
  work();
  for (auto& other : others) other.get();
  return levels;
}

/// For each link: the level, and what the papers' models say at that level.
std::vector<LinkAdvice> advise(const MeasureOptions& options, ByteSpan sample,
                               const Measured& levels, double seconds_of_packet) {
  std::map<std::size_t, std::vector<ChunkMeasurement>> chunks_at;
  std::vector<LinkAdvice> links;
  for (const double link : options.links_bytes_per_second) {
    const LevelAdvice advice = best_level(levels, link, threads_of(options.pipeline));
    const LevelMeasurement& measured = levels[advice.level];
    auto& chunks = chunks_at[advice.level];
    if (chunks.empty()) chunks = measure_chunks(measured.rung, sample);
    const PipelineShape pipeline = best_pipeline(chunks, {.link_bytes_per_second = link,
                                                          .chunk_seconds = seconds_of_packet,
                                                          .processors = processors()});
    const std::size_t block = shape_of(options.pipeline, measured.rung).block_bytes;
    links.push_back({.link_bytes_per_second = link,
                     .level = advice.level,
                     .raw_bytes_per_second = advice.raw_bytes_per_second,
                     .packet_bytes = packet_bytes(measured, block, seconds_of_packet),
                     .chunk_threads = pipeline.threads,
                     .chunks = pipeline.chunks,
                     .chunk_bytes = pipeline.chunk_bytes});
  }
  return links;
}

}  // namespace

LevelFigures measure_levels(const MeasureOptions& options, const MeasureObserver& observer,
                            std::stop_token stop) {
  check(options);
  const Sample sample = read_sample(
      {.path = options.path, .filters = options.filters, .most_bytes = options.sample_bytes},
      observer.on_left_out);
  const Measured levels = measure_all(options.pipeline, sample.bytes, observer, stop);
  LevelFigures figures{.files = sample.of_files,
                       .bytes = sample.of_bytes,
                       .sample_bytes = sample.bytes.size(),
                       .threads = threads_of(options.pipeline),
                       .packet_seconds = packet_seconds()};
  for (const LevelMeasurement& measured : levels)
    figures.levels.push_back({.rung = to_string(measured.rung),
                              .block_bytes = shape_of(options.pipeline, measured.rung).block_bytes,
                              .compress_bytes_per_second = measured.compress_bytes_per_second,
                              .ratio = measured.ratio,
                              .decompress_bytes_per_second = measured.decompress_bytes_per_second});
  figures.links = advise(options, sample.bytes, levels, figures.packet_seconds);
  return figures;
}

}  // namespace adoc
