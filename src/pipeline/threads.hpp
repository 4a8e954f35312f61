#pragma once

#include <cstddef>
#include <string_view>

#include "adoc/options.hpp"
#include "codec/ladder.hpp"

namespace adoc {

/// Processors that this process may use: its own, and no more than a control group's quota.
[[nodiscard]] std::size_t processors();

struct ThreadCount {
  std::size_t count = 1;
  std::string_view why_fewer{};  ///< than were asked for: a clause; empty when there are as many
  Hint hint = Hint::none;        ///< of that
};

/// How many threads compress: as many as asked for, or one for each processor (the paper's law:
/// one); no more than there are processors, since all blocks would only be done later, nor than one
/// fixed level has memory for. Throws Error(usage) when the memory does not suffice for one thread
/// at the fixed level or the lowest one allowed.
[[nodiscard]] ThreadCount compression_threads(const PipelineOptions& options, const Ladder& ladder,
                                              std::size_t available = processors());

/// How many threads decompress: the same, and no more than the memory suffices for whatever a
/// sender sends. Throws Error(usage) when it does not for one.
[[nodiscard]] ThreadCount decompression_threads(const ReceiveOptions& options,
                                                std::size_t available = processors());

/// Whether there is room, beside that of one thread, for what matched blocks copy from.
[[nodiscard]] bool has_room_for_window(const ReceiveOptions& options) noexcept;

/// How many blocks they may be at in the memory there is, each with kThreadReceiveBytes; 0: it is
/// too little for any.
[[nodiscard]] std::size_t decompression_shares(const ReceiveOptions& options) noexcept;

/// The memory that the blocks of one thread take at a level, its compressor not included;
/// `block_bytes` is what the user asked for, 0: nothing.
[[nodiscard]] std::size_t block_memory(const Rung& rung, std::size_t block_bytes) noexcept;

}  // namespace adoc
