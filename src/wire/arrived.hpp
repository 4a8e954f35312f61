#pragma once

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// With Feature::arrivals: how much of what the sender has sent over this connection is here, its
/// hello included. Sent some ten times a second while bytes come, and behind each done and the end;
/// one that has not left by then says what the next one would.
///
/// With Feature::rejoins also behind each kMostUntold bytes; and the sender says the same of what
/// it has read, when it has heard that it may join, and then behind each kMostUntoldReplies. To the
/// first of these the receiver answers with one at once.
///
///   arrived = bytes:varint
struct Arrived {
  static constexpr FrameType kType = FrameType::arrived;

  std::uint64_t bytes = 0;  ///< read from the connection, before they are looked at

  void encode(ByteWriter& out) const { out.varint(bytes); }
  /// Throws Error(corrupt).
  [[nodiscard]] static Arrived decode(ByteSpan record) {
    ByteReader in(record, "arrived");
    const Arrived arrived{in.varint()};
    in.expect_end();
    return arrived;
  }

  bool operator==(const Arrived&) const = default;
};

}  // namespace adoc
