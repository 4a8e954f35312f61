#include "codec/advice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace adoc {
namespace {

// Penaranda 2024, Table 1; its chunk sizes are for the caller to measure.
constexpr std::array<std::size_t, 4> kThreads{1, 2, 4, 8};
constexpr std::array<std::size_t, 6> kChunks{2, 4, 8, 16, 32, 64};

/// The times at which the last few chunks passed one point of the pipeline.
class Times {
 public:
  explicit Times(std::size_t kept) : times_(kept) {}

  /// Of the chunk that many before number `chunk`; 0 before the first.
  [[nodiscard]] double before(std::size_t chunk, std::size_t distance) const {
    return chunk < distance ? 0 : times_[(chunk - distance) % times_.size()];
  }
  void set(std::size_t chunk, double time) { times_[chunk % times_.size()] = time; }

 private:
  std::vector<double> times_;
};

struct Candidate {
  PipelineShape shape;
  double bytes_per_second = 0;

  [[nodiscard]] double size() const {
    return static_cast<double>(shape.chunks) * static_cast<double>(shape.chunk_bytes);
  }
  [[nodiscard]] double threads() const { return static_cast<double>(shape.threads); }
};

}  // namespace

LevelAdvice best_level(std::span<const LevelMeasurement> levels, double link_bytes_per_second,
                       std::size_t threads) {
  const auto count = static_cast<double>(threads);
  LevelAdvice best;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const double rate = std::min({count * levels[level].compress_bytes_per_second,
                                  link_bytes_per_second * levels[level].ratio,
                                  count * levels[level].decompress_bytes_per_second});
    if (rate > best.raw_bytes_per_second) best = {.level = level, .raw_bytes_per_second = rate};
  }
  return best;
}

double best_packet_bytes(const PacketModel& model) {
  // T_t = (C + C') rho v + B (gamma_e + beta) / (rho v) + what does not depend on v: its derivative
  // is zero at
  return std::sqrt(model.block_bytes * model.packet_seconds /
                   (model.compress_seconds_per_byte + model.decompress_seconds_per_byte)) /
         model.ratio;
}

double pipeline_bytes_per_second(const PipelineShape& shape, const LevelMeasurement& measured,
                                 const PipelineSite& site) {
  const auto chunk_bytes = static_cast<double>(shape.chunk_bytes);
  const double share =
      std::min(1.0, static_cast<double>(site.processors) / static_cast<double>(shape.threads));
  const double compressing = chunk_bytes / (measured.compress_bytes_per_second * share);
  const double decompressing = chunk_bytes / (measured.decompress_bytes_per_second * share);
  const double sending =
      site.chunk_seconds + chunk_bytes / measured.ratio / site.link_bytes_per_second;
  const auto count = static_cast<std::size_t>(std::ceil(site.message_bytes / chunk_bytes));

  const std::size_t kept = std::max(shape.threads, shape.chunks);
  Times compressed(kept);
  Times sent(kept);
  Times done(kept);
  double last = 0;
  for (std::size_t chunk = 0; chunk < count; ++chunk) {
    compressed.set(chunk, compressing + std::max(compressed.before(chunk, shape.threads),
                                                 sent.before(chunk, shape.chunks)));
    sent.set(chunk, sending + std::max({compressed.before(chunk, 0), sent.before(chunk, 1),
                                        done.before(chunk, shape.chunks)}));
    last = decompressing + std::max(sent.before(chunk, 0), done.before(chunk, shape.threads));
    done.set(chunk, last);
  }
  return static_cast<double>(count) * chunk_bytes / last;
}

PipelineShape best_pipeline(std::span<const ChunkMeasurement> chunks, const PipelineSite& site,
                            const TradeOffWeights& weights) {
  std::vector<Candidate> candidates;
  for (const ChunkMeasurement& chunk : chunks) {
    for (const std::size_t threads : kThreads) {
      for (const std::size_t count : kChunks) {
        const PipelineShape shape{
            .threads = threads, .chunks = count, .chunk_bytes = chunk.chunk_bytes};
        candidates.push_back({shape, pipeline_bytes_per_second(shape, chunk.measured, site)});
      }
    }
  }
  const auto smallest = [&candidates](const auto& value) {
    return std::ranges::min(candidates, {}, value);
  };
  const double least_bandwidth = smallest(&Candidate::bytes_per_second).bytes_per_second;
  const double least_size = smallest(&Candidate::size).size();
  const double least_threads = smallest(&Candidate::threads).threads();
  const auto trade_off = [&](const Candidate& candidate) {
    return candidate.bytes_per_second / least_bandwidth * weights.bandwidth -
           candidate.size() / least_size * weights.size -
           candidate.threads() / least_threads * weights.threads;
  };
  return std::ranges::max(candidates, {}, trade_off).shape;
}

}  // namespace adoc
