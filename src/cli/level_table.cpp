#include "cli/level_table.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <map>
#include <system_error>
#include <thread>

#include "cli/units.hpp"
#include "codec/advice.hpp"
#include "pipeline/threads.hpp"
#include "util/fd.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

constexpr std::size_t kSampleBytes = 4 << 20;
/// Chunks are small: a part of the sample holds plenty of them.
constexpr std::size_t kChunkSampleBytes = 512 << 10;
/// A dense level takes about 100 MB.
constexpr std::size_t kMostWorkers = 4;
/// Penaranda 2024, Table 1.
constexpr std::array<std::size_t, 6> kChunkBytes{512,     1 << 10,  2 << 10,
                                                 4 << 10, 32 << 10, 128 << 10};

struct LinkRate {
  const char* name;
  double bytes_per_second;
};
constexpr std::array<LinkRate, 4> kLinks{
    {{"10 Mbit/s", 1.25e6}, {"100 Mbit/s", 12.5e6}, {"1 Gbit/s", 125e6}, {"10 Gbit/s", 1'250e6}}};

std::size_t threads_of(const PipelineOptions& options) {
  return options.threads != 0 ? std::min(options.threads, processors()) : processors();
}

BlockShape shape_of(const PipelineOptions& options, const Rung& rung) {
  if (options.block_bytes == 0) return block_shape(rung);
  return {.block_bytes = options.block_bytes, .prefix_bytes = 0};
}

template <typename... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 256> text{};
  // NOLINTNEXTLINE: the formats are literals of this file.
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

/// As the options take it: "512", "200K", "4M".
std::string format_size(std::size_t bytes) {
  constexpr std::size_t kKiB = 1'024;
  if (bytes % (kKiB * kKiB) == 0) return std::to_string(bytes / (kKiB * kKiB)) + "M";
  if (bytes % kKiB == 0) return std::to_string(bytes / kKiB) + "K";
  return std::to_string(bytes);
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

std::string level_rows(const PipelineOptions& options, const MeasuredLevels& levels) {
  std::string rows = line("%5s  %-9s %6s %12s %8s %12s\n", "level", "rung", "block", "compress",
                          "ratio", "decompress");
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const LevelMeasurement& measured = levels[level];
    rows += line("%5zu  %-9s %6s %12s %7.2fx %12s\n", level, to_string(measured.rung).c_str(),
                 format_size(shape_of(options, measured.rung).block_bytes).c_str(),
                 format_rate(measured.compress_bytes_per_second).c_str(), measured.ratio,
                 format_rate(measured.decompress_bytes_per_second).c_str());
  }
  return rows;
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

/// For each link: the level, and what the papers' models say at that level.
std::string link_rows(const PipelineOptions& options, ByteSpan sample, const MeasuredLevels& levels,
                      double seconds_of_packet) {
  std::map<std::size_t, std::vector<ChunkMeasurement>> chunks_at;
  std::string rows = line("%-11s %5s  %-9s %12s %10s   %s\n", "link", "level", "rung", "expected",
                          "packet", "threads x chunks of");
  for (const LinkRate& link : kLinks) {
    const LevelAdvice advice = best_level(levels, link.bytes_per_second, threads_of(options));
    const LevelMeasurement& measured = levels[advice.level];
    auto& chunks = chunks_at[advice.level];
    if (chunks.empty()) chunks = measure_chunks(measured.rung, sample);
    const PipelineShape pipeline =
        best_pipeline(chunks, {.link_bytes_per_second = link.bytes_per_second,
                               .chunk_seconds = seconds_of_packet,
                               .processors = processors()});
    rows += line(
        "%-11s %5zu  %-9s %12s %10zu   %zu x %zu of %s\n", link.name, advice.level,
        to_string(measured.rung).c_str(), format_rate(advice.raw_bytes_per_second).c_str(),
        packet_bytes(measured, shape_of(options, measured.rung).block_bytes, seconds_of_packet),
        pipeline.threads, pipeline.chunks, format_size(pipeline.chunk_bytes).c_str());
  }
  return rows;
}

}  // namespace

MeasuredLevels measure_levels(const PipelineOptions& options, ByteSpan sample,
                              const StepObserver& observer) {
  const Ladder ladder = Ladder::named(options.ladder);
  MeasuredLevels levels(static_cast<std::size_t>(ladder.last()) + 1);
  std::atomic<std::size_t> begun = 0;
  const auto work = [&] {
    for (std::size_t step = begun++; step < levels.size(); step = begun++) {
      observer(step, levels.size());
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

std::string level_table(const PipelineOptions& options, const std::string& path,
                        const Sample& sample, const MeasuredLevels& levels) {
  const double seconds_of_packet = packet_seconds();
  const std::size_t threads = threads_of(options);
  std::string text =
      adoc::quoted(path) + ": " + format_bytes(static_cast<double>(sample.of_bytes)) + " in " +
      std::to_string(sample.of_files) + (sample.of_files == 1 ? " file, " : " files, ") +
      format_bytes(static_cast<double>(sample.bytes.size())) +
      " of it measured; speeds are of one thread\n\n";
  text += level_rows(options, levels) + "\n";
  text += link_rows(options, sample.bytes, levels, seconds_of_packet) + "\n";
  text += line(
      "expected   the least of %zu x compress, link x ratio and %zu x decompress, if the far side\n"
      "           is a machine like this one\n",
      threads, threads);
  text += line(
      "packet     bytes by the model of Jeannot 2002, section 3.5.2, with the %.1f us that "
      "sending\n"
      "           and receiving a packet takes here\n",
      seconds_of_packet * 1e6);
  text +=
      "threads x  by equation 2 of Penaranda 2024 with its weights 0.60, 0.15 and 0.25 for its\n"
      "chunks of  message of 8 MB: chunks measured here, the pipeline itself calculated\n";
  return text;
}

std::string measured_level_list(const SendOptions& options, const StepObserver& observer) {
  const std::string& path = options.paths.front();
  const Sample sample = read_sample(path, options.filters, kSampleBytes);
  const MeasuredLevels levels = measure_levels(options.pipeline, sample.bytes, observer);
  return level_table(options.pipeline, path, sample, levels);
}

}  // namespace adoc::cli
