#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bench/papers/pipeline/model.hpp"

namespace papers {

/// A library that compresses a chunk by itself. One object belongs to one thread.
class ChunkCodec {
 public:
  virtual ~ChunkCodec() = default;
  [[nodiscard]] virtual std::size_t bound(std::size_t raw_bytes) const = 0;
  /// Returns the bytes written; `out` has room for bound(raw.size()).
  [[nodiscard]] virtual std::size_t compress(std::span<const std::byte> raw,
                                             std::span<std::byte> out) = 0;
  /// Fills `raw`. Throws std::runtime_error for what compress() did not write.
  virtual void decompress(std::span<const std::byte> stored, std::span<std::byte> raw) = 0;
};

/// snappy (where the build has it), lz4 and zstd at level 1.
[[nodiscard]] std::vector<std::string_view> chunk_codecs();
/// Those, zlib at level 6 and bzip2 (where the build has it).
[[nodiscard]] std::vector<std::string_view> every_codec();
/// One of those, or "copy", which compresses nothing. Throws std::invalid_argument for others.
[[nodiscard]] std::unique_ptr<ChunkCodec> make_chunk_codec(std::string_view name);

/// Each chunk of the message there and back on this thread, the least of a few passes.
[[nodiscard]] std::vector<ChunkTimes> measure_chunks(ChunkCodec& codec,
                                                     std::span<const std::byte> message,
                                                     std::size_t chunk_bytes);

/// The pipeline itself, with threads, in this process. The link is a clock: a chunk is handed over
/// once the socket has room, and there once the link would have taken it. Seconds; throws
/// std::logic_error if something else arrives.
[[nodiscard]] double run_pipeline(std::string_view codec, std::span<const std::byte> message,
                                  std::size_t chunk_bytes, const PipelineSetup& setup);

/// What handing on chunks takes on this machine: of a pipeline that copies 64 bytes at a time.
struct Handing {
  double send_seconds = 0;  ///< a chunk, where there is always a next one
  double wake_seconds =
      0;  ///< more, each way, where there is one buffer and the threads take turns
};
[[nodiscard]] Handing measure_handing();

}  // namespace papers
