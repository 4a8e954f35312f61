#pragma once

#include <cstddef>
#include <span>

#include "codec/measure.hpp"

/// What measurements of a machine and of some data advise for a link: pure arithmetic.
namespace adoc {

/// The level that gets data across soonest, and how fast.
struct LevelAdvice {
  std::size_t level = 0;            ///< an index into the measurements
  double raw_bytes_per_second = 0;  ///< min(threads' compression, link * ratio, decompression)
};

/// `levels` (not empty) are those of a ladder, from level 0; of equals the lowest is taken. The far
/// side is taken to be a machine like this one that decompresses with as many threads.
[[nodiscard]] LevelAdvice best_level(std::span<const LevelMeasurement> levels,
                                     double link_bytes_per_second, std::size_t threads);

/// The size of packets that gets one block across soonest: the minimum over the packet size of T_t
/// in Jeannot 2002, section 3.5.2. Larger packets start later and end later on the far side, more
/// of them cost more overhead.
struct PacketModel {
  double block_bytes = 0;                  ///< B
  double ratio = 1;                        ///< rho
  double compress_seconds_per_byte = 0;    ///< C
  double decompress_seconds_per_byte = 0;  ///< C'
  double packet_seconds = 0;  ///< gamma_e + beta: what a packet costs whatever its size
};
[[nodiscard]] double best_packet_bytes(const PacketModel& model);

/// Chunks of one size at some level.
struct ChunkMeasurement {
  std::size_t chunk_bytes = 0;
  LevelMeasurement measured;
};

/// A parallel pipeline as in Penaranda 2024, section 3: n threads on either side, and m chunks in
/// flight.
struct PipelineShape {
  std::size_t threads = 0;
  std::size_t chunks = 0;
  std::size_t chunk_bytes = 0;

  bool operator==(const PipelineShape&) const = default;
};

/// What surrounds the pipeline.
struct PipelineSite {
  double link_bytes_per_second = 0;
  double chunk_seconds = 0;    ///< what a chunk costs the main thread whatever its size
  std::size_t processors = 1;  ///< of each machine; more threads than these share them
  double message_bytes = 8e6;  ///< as in the paper, section 4.4
};

/// Raw bytes a second of one message through a model of that pipeline: every chunk is compressed by
/// the next thread in turn, sent in order, decompressed by the next thread in turn, and gives its
/// place to the chunk `chunks` later.
[[nodiscard]] double pipeline_bytes_per_second(const PipelineShape& shape,
                                               const LevelMeasurement& measured,
                                               const PipelineSite& site);

/// The constants of equation 2: how much bandwidth, memory and threads count.
struct TradeOffWeights {
  double bandwidth = 0.60;
  double size = 0.15;
  double threads = 0.25;
};

/// What equation 2 of Penaranda 2024 values highest of the threads and chunks of its Table 1 with
/// each of the chunk sizes that were measured (not empty), all combinations against the smallest
/// bandwidth, size and number of threads among them.
[[nodiscard]] PipelineShape best_pipeline(std::span<const ChunkMeasurement> chunks,
                                          const PipelineSite& site,
                                          const TradeOffWeights& weights = {});

}  // namespace adoc
