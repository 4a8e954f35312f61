#pragma once

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// Says nothing but that this side is there. It stands wherever a frame may stand, also inside of a
/// block run, and only before this side's end.
///
///   keep-alive =
struct KeepAlive {
  static constexpr FrameType kType = FrameType::keep_alive;

  void encode(ByteWriter&) const noexcept {}
  /// Throws Error(corrupt).
  [[nodiscard]] static KeepAlive decode(ByteSpan record) {
    ByteReader(record, "keep-alive").expect_end();
    return {};
  }

  bool operator==(const KeepAlive&) const = default;
};

}  // namespace adoc
