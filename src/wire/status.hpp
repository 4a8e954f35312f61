#pragma once

#include <cstdint>

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// How the receiver did since its last status, or since it began: sent every 20 ms or so while
/// blocks come.
///
///   status = interval:varint stalled:varint
///            decompressed-bytes:varint decompressing:varint
///            written-bytes:varint writing:varint
///
/// Times are in microseconds. Those of decompressing are summed over the threads.
struct Status {
  static constexpr FrameType kType = FrameType::status;

  std::uint64_t interval_us = 0;  ///< since the status before
  /// Of it, not reading because of what was not dealt with yet, or never having to wait for
  /// something to read.
  std::uint64_t stalled_us = 0;
  std::uint64_t decompressed_bytes = 0;  ///< raw
  std::uint64_t decompressing_us = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t writing_us = 0;

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Status decode(ByteSpan record);

  bool operator==(const Status&) const = default;
};

}  // namespace adoc
