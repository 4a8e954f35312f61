#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace papers {

/// One chunk of a message, as measured on one thread.
struct ChunkTimes {
  double raw_bytes = 0;
  double compress = 0;    ///< seconds
  double wire_bytes = 0;  ///< compressed
  double decompress = 0;  ///< seconds
};

/// Figure 3 of Peñaranda 2024: `threads` compress, one sends in order, as many decompress. A chunk
/// has one of `slots` buffers from its compression until it is handed to the socket.
struct PipelineSetup {
  int threads = 1;
  int slots = 2;
  double link = 1e9;          ///< bit/s
  double socket_bytes = 0;    ///< that may wait in front of the link, their buffers free again
  double send_seconds = 0;    ///< that the main thread takes for each chunk beside the wire
  double wake_seconds = 0;    ///< until the thread that waits for a chunk, or a buffer, goes on
  bool raw_if_grown = false;  ///< section 4.6: what grew is sent as it is, and not decompressed
};

/// Seconds until the last chunk is decompressed.
[[nodiscard]] double pipelined_seconds(std::span<const ChunkTimes> chunks,
                                       const PipelineSetup& setup);

/// Figure 2's upper row: all compressed, then sent, then decompressed.
[[nodiscard]] double naive_seconds(const ChunkTimes& whole, double link);

struct Configuration {
  int threads = 1;
  int chunks = 2;
  std::size_t chunk_bytes = 1024;
  bool operator==(const Configuration&) const = default;
};
/// Bandwidth of a configuration, in any unit.
using Bandwidth = std::function<double(const Configuration&)>;

/// Equation 2 with Equation 1's size and the paper's 0.60, 0.15 and 0.25, for each of these
/// configurations beside the others. There is at least one.
[[nodiscard]] std::vector<double> trade_offs(std::span<const Configuration> configurations,
                                             const Bandwidth& bandwidth);

/// The paper's choice in three steps over its Table 1: the size of chunks by trade-off, for each
/// number of threads; the number of chunks by bandwidth, the fewest within half a per cent of the
/// best; the number of threads by trade-off.
struct Choice {
  std::vector<Configuration> by_threads;  ///< Table 2: after two steps, for 1, 2, 4 and 8 threads
  Configuration best;
};
[[nodiscard]] Choice choose(const Bandwidth& bandwidth);

}  // namespace papers
