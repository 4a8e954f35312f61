#pragma once

#include <cstdint>
#include <vector>

#include "adoc/lossy.hpp"
#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// Opens a block: a run of a batch's stream, compressed on its own terms. Its stored bytes follow
/// in packets, as the compressor makes them, up to the block end.
///
///   block = batch:varint offset:varint raw-bytes:varint codec:u8 level:u8 checksum:u64
struct BlockHeader {
  static constexpr FrameType kType = FrameType::block;

  std::uint64_t batch = 0;
  std::uint64_t offset = 0;    ///< in the batch's stream
  std::size_t raw_bytes = 0;   ///< 1 .. kMaxRawBlockBytes
  std::uint8_t codec = 0;      ///< a CodecId
  std::uint8_t level = 0;      ///< of the sender's ladder: for statistics, decoding needs no level
  std::uint64_t checksum = 0;  ///< XXH3-64 of the raw bytes

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static BlockHeader decode(ByteSpan record);

  bool operator==(const BlockHeader&) const = default;
};

/// Opens a block that was compressed with the raw bytes before it as its prefix, and whose own
/// bytes may be in the prefix of the next. It counts the bytes of the blocks that came directly
/// before it on this connection, all of them linked: an unlinked block between makes the next
/// prefix start anew.
///
///   linked-block = block-fields prefix-bytes:varint
struct LinkedBlockHeader {
  static constexpr FrameType kType = FrameType::linked_block;

  BlockHeader block{};
  std::size_t prefix_bytes = 0;  ///< 0 .. kMaxPrefixBytes

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static LinkedBlockHeader decode(ByteSpan record);

  bool operator==(const LinkedBlockHeader&) const = default;
};

/// A run of bytes that is copied from what matched blocks held before: it stands behind `literals`
/// bytes of the block that are not copied.
struct Match {
  std::size_t literals = 0;
  std::size_t length = 0;    ///< kMinMatchBytes .. distance
  std::size_t distance = 0;  ///< from the begin of the block back to its own; .. kMatchWindowBytes

  bool operator==(const Match&) const = default;
};

/// Opens a block whose packets hold, compressed, only its literals: the bytes that no match copies.
/// Matches refer to the raw bytes of all matched blocks before it on this connection, in their
/// order; other blocks do not count.
///
///   matched-block = block-fields count:varint (literals:varint length:varint distance:varint)*
struct MatchedBlockHeader {
  static constexpr FrameType kType = FrameType::matched_block;

  BlockHeader block{};           ///< of at most kMaxMatchedBlockBytes
  std::vector<Match> matches{};  ///< at most kMaxMatches, within the block

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static MatchedBlockHeader decode(ByteSpan record);

  bool operator==(const MatchedBlockHeader&) const = default;
};

/// Opens a block whose packets hold, compressed, its bytes as a filter has left them
/// (codec/byte_filter.hpp says what filters do). The codec is not raw.
///
///   filtered-block = block-fields filter:u8 item-bytes:u8 phase:u8
struct FilteredBlockHeader {
  static constexpr FrameType kType = FrameType::filtered_block;

  BlockHeader block{};          ///< of at most kMaxFilteredBlockBytes
  std::uint8_t filter = 0;      ///< a FilterKind
  std::uint8_t item_bytes = 0;  ///< of a number
  std::uint8_t phase = 0;       ///< bytes before the first item

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt). Whether there is such a filter is for the caller to check, as it is
  /// with codecs.
  [[nodiscard]] static FilteredBlockHeader decode(ByteSpan record);

  bool operator==(const FilteredBlockHeader&) const = default;
};

/// Numbers of a predicted block that are predicted from each other, as codec/predicted_form.hpp
/// has them.
struct NumberWindow {
  std::size_t skipped = 0;     ///< bytes in front of it that no window has
  std::size_t numbers = 0;     ///< 1 .. kMaxWindowNumbers
  std::uint8_t predictor = 0;  ///< 0 .. 3
  std::int16_t exponent = 0;   ///< -1,000 .. 1,000
  std::uint16_t step = 1;      ///< at least 1

  bool operator==(const NumberWindow&) const = default;
};

/// Opens a block whose packets hold, compressed, what predictions leave of its numbers. The codec
/// is not raw. Windows that are alike and follow each other are told once.
///
///   predicted-block = block-fields type:u8 literals:varint count:varint
///                     (times:varint skipped:varint numbers:varint predictor:u8 exponent:u16
///                      step:u16)*
struct PredictedBlockHeader {
  static constexpr FrameType kType = FrameType::predicted_block;

  BlockHeader block{};                ///< of at most kMaxPredictedBlockBytes
  ItemType type = ItemType::float32;  ///< or float64, complex64 or complex128
  std::size_t literals = 0;           ///< words told by themselves, an eighth of the bytes at most
  std::vector<NumberWindow> windows{};  ///< 1 .. kMaxPredictedWindows, within the block

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static PredictedBlockHeader decode(ByteSpan record);

  bool operator==(const PredictedBlockHeader&) const = default;
};

/// Closes a block.
///
///   block-end = stored-bytes:varint
struct BlockEnd {
  static constexpr FrameType kType = FrameType::block_end;

  std::size_t stored_bytes = 0;  ///< of all its packets

  void encode(ByteWriter& out) const { out.varint(stored_bytes); }
  /// Throws Error(corrupt).
  [[nodiscard]] static BlockEnd decode(ByteSpan record);

  bool operator==(const BlockEnd&) const = default;
};

/// Closes a block early: it holds fewer raw bytes than its header announced, and the stream goes on
/// behind those.
///
///   cut = stored-bytes:varint raw-bytes:varint checksum:u64
struct Cut {
  static constexpr FrameType kType = FrameType::cut;

  std::size_t stored_bytes = 0;
  std::size_t raw_bytes = 0;   ///< at least 1, fewer than announced
  std::uint64_t checksum = 0;  ///< XXH3-64 of those; the header's counts no more

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Cut decode(ByteSpan record);

  bool operator==(const Cut&) const = default;
};

/// Stands for a run of a batch's stream that will not come, because its entry failed.
///
///   skip = batch:varint offset:varint length:varint
struct Skip {
  static constexpr FrameType kType = FrameType::skip;

  std::uint64_t batch = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Skip decode(ByteSpan record);

  bool operator==(const Skip&) const = default;
};

}  // namespace adoc
