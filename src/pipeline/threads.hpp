#pragma once

#include <cstddef>

#include "adoc/options.hpp"
#include "codec/ladder.hpp"

namespace adoc {

/// How many threads compress: as many as asked for, or one for each processor (the paper's law:
/// one), and no more than one fixed level has memory for.
struct ThreadCount {
  std::size_t count = 1;
  bool clamped = false;  ///< fewer than asked for: the memory does not suffice for more
};

/// Throws Error(usage) when the memory does not suffice for one thread at the fixed level or the
/// lowest one allowed.
[[nodiscard]] ThreadCount compression_threads(const PipelineOptions& options, const Ladder& ladder);

/// How many threads decompress: as many as asked for, or one for each processor, and no more than
/// the memory suffices for whatever a sender sends. Throws Error(usage) when it does not for one.
[[nodiscard]] std::size_t decompression_threads(const ReceiveOptions& options);

/// The memory that the blocks of one thread take at a level, its compressor not included;
/// `block_bytes` is what the user asked for, 0: nothing.
[[nodiscard]] std::size_t block_memory(const Rung& rung, std::size_t block_bytes) noexcept;

/// Processors that this process may use.
[[nodiscard]] std::size_t processors() noexcept;

}  // namespace adoc
