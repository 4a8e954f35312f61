#pragma once

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// A batch of entries, compressed:
///
///   offer = batch:varint flags:u8 codec:u8 raw-bytes:varint stored-bytes*    to the record's end
///   flags = 1 last: no batch follows · 2 dry run: answer, take nothing · 4 keep what exists ·
///           16 force
struct Offer {
  static constexpr FrameType kType = FrameType::offer;

  std::uint64_t batch = 0;
  bool last = false;
  bool dry_run = false;
  bool keep_existing = false;
  bool force = false;         ///< a directory gives way to a file or link, and the reverse
  std::uint8_t codec = 0;     ///< a CodecId
  std::size_t raw_bytes = 0;  ///< of the manifest, at most kMaxManifestBytes
  Bytes stored{};             ///< the manifest (wire/entry.hpp) as the codec left it

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Offer decode(ByteSpan record);

  bool operator==(const Offer&) const = default;
};

}  // namespace adoc
