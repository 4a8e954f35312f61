#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "bench/papers/pipeline/model.hpp"

namespace papers {

/// One copy between the edge node and the remote device, with each codec; the first is none, which
/// takes no time and changes no byte. All messages have the same codecs.
struct TracedMessage {
  bool to_device = true;
  std::vector<ChunkTimes> by_codec;
};

/// A world that messages are replayed in. The edge node compresses what goes to the device, and
/// decompresses what comes from there.
struct ReplayWorld {
  double link = 1e9;         ///< bit/s
  double edge_slowdown = 1;  ///< of its processor, beside the one that was measured on
};

/// The message in that world, with this codec.
[[nodiscard]] ChunkTimes times_in(const ReplayWorld& world, const TracedMessage& message,
                                  std::size_t codec);

/// Equation 1 of Peñaranda 2022: compress, transfer, decompress, one after the other.
[[nodiscard]] double serial_seconds(const ReplayWorld& world, const TracedMessage& message,
                                    std::size_t codec);

/// Section 4.6's "Adaptive": for each size of a message (powers of two) and direction the codec
/// that took the least time in all, for those that were learnt from. A size that never came has the
/// codec of the nearest one that did, the smaller of two; without any it is none.
class SizeTable {
 public:
  SizeTable(const ReplayWorld& world, std::span<const TracedMessage> messages);
  [[nodiscard]] std::size_t codec_for(const TracedMessage& message) const;

 private:
  std::map<std::pair<bool, int>, std::size_t> codec_;
};

/// Seconds of all messages, each with codecs[i].
struct ReplayTime {
  double serial = 0;     ///< the sum of equation 1
  double pipelined = 0;  ///< one is compressed, one on the link and one decompressed at a time
};
[[nodiscard]] ReplayTime replay(const ReplayWorld& world, std::span<const TracedMessage> messages,
                                std::span<const std::size_t> codecs);

}  // namespace papers
