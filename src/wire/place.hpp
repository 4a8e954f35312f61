#pragma once

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// With Feature::places: where the sender is among those that wait for their turn. Sent before
/// anything else but keep-alives, and again when it changes; the last one has position 0. One with
/// position 0 and transfers is before an error: nobody waits there, and the sender is sent away.
///
///   place = position:varint transfers:varint
struct QueuePlace {
  static constexpr FrameType kType = FrameType::place;

  std::uint64_t position = 0;   ///< 1: the next one; 0: it is being served
  std::uint64_t transfers = 0;  ///< that are under way, which all of those wait for

  void encode(ByteWriter& out) const {
    out.varint(position);
    out.varint(transfers);
  }
  /// Throws Error(corrupt).
  [[nodiscard]] static QueuePlace decode(ByteSpan record) {
    ByteReader in(record, "place");
    QueuePlace place;
    place.position = in.varint();
    place.transfers = in.varint();
    in.expect_end();
    return place;
  }

  [[nodiscard]] bool is_sent_away() const noexcept { return position == 0 && transfers != 0; }

  bool operator==(const QueuePlace&) const = default;
};

}  // namespace adoc
