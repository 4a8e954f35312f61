#pragma once

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

struct FrameHeader {
  FrameType type{};
  std::uint32_t payload_bytes = 0;

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt) for an unknown type or a length above the type's limit. `bytes` holds
  /// kFrameHeaderBytes.
  [[nodiscard]] static FrameHeader decode(ByteSpan bytes);
};

/// The text of a frame type in messages.
[[nodiscard]] const char* frame_name(FrameType type) noexcept;

/// Checks and strips the check value of a payload that is not a packet's; throws Error(corrupt).
[[nodiscard]] ByteSpan open_record(FrameType type, ByteSpan payload);

namespace detail {
/// Fills in length and check of the frame that `frame` holds from its header on. Throws
/// Error(internal) when it is too long.
void seal_frame(FrameType type, Bytes& frame);
}  // namespace detail

/// A whole frame around a record, which names its own type. Throws Error(internal) for a record
/// that is too long for a frame: the peer would refuse it.
template <typename Record>
[[nodiscard]] Bytes encode_frame(const Record& record) {
  Bytes frame(kFrameHeaderBytes);
  ByteWriter out(frame);
  record.encode(out);
  detail::seal_frame(Record::kType, frame);
  return frame;
}

}  // namespace adoc
