#pragma once

#include <array>
#include <cstdint>

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

// With Feature::streams, how one transfer gets several connections.

/// By which a further connection is found to be of a running transfer.
using StreamToken = std::array<std::byte, kTokenBytes>;

/// From the receiver, once: the sender may join so many further connections to this one.
///
///   streams = token[16] most:u8 window:varint
struct StreamsOffer {
  static constexpr FrameType kType = FrameType::streams;

  StreamToken token{};
  std::uint8_t most = 0;     ///< further connections at once, at most kMaxStreams - 1
  std::uint64_t window = 0;  ///< bytes that may be on their way in the records of the sender

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static StreamsOffer decode(ByteSpan record);

  bool operator==(const StreamsOffer&) const = default;
};

/// The only frame of a further connection, behind the sender's hello; records follow. Where that
/// hello has Feature::rejoins the sender has lost all others, and what they carried and the other
/// side has not read comes in records: their places count each direction from its first byte on.
///
///   join = token[16]
struct Join {
  static constexpr FrameType kType = FrameType::join;

  StreamToken token{};

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Join decode(ByteSpan record);

  bool operator==(const Join&) const = default;
};

/// On the first connection, in each direction by itself: what follows are records.
///
///   split =
struct Split {
  static constexpr FrameType kType = FrameType::split;

  void encode(ByteWriter&) const noexcept {}
  /// Throws Error(corrupt).
  [[nodiscard]] static Split decode(ByteSpan record) {
    ByteReader(record, "split").expect_end();
    return {};
  }

  bool operator==(const Split&) const = default;
};

}  // namespace adoc
