#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace adoc {

// The wire protocol, version 1; man/adoc.5 is its specification.
//
//   connection   = hello frame*                        in each direction
//   to receiver  = ( offer | block-run | skip | done )* end
//   block-run    = ( block | linked-block | matched-block | filtered-block | predicted-block )
//                 ( packet | offer )* ( block-end | cut )
//   to sender    = place* ( want | commit | status | arrived | streams | failed )* end
//   either       = keep-alive, before any of its frames
//                | error, after which that side sends nothing more
//                | split, behind which that side's bytes are records (wire/bundle_record.hpp)
//   joining      = hello join records                    of the sender, over a further connection
//
//   frame        = type:u8 length:u32 payload[length]
//   payload      = record check:u32                    of every frame but packet
//   packet       = stored bytes of the block that is open
//
// Integers are little-endian; `check` is the low half of the XXH3-64 of the record, seeded with the
// frame's type. Batches are numbered from 0 and each goes offer, want, data, done, commit; those of
// several batches overlap.

inline constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'A', 'd', 'O', 'C', '\r', '\n', 0x1a};

/// 1: the first.
inline constexpr std::uint16_t kProtocolVersion = 1;

/// 16 stays unknown: a golden file says so.
enum class FrameType : std::uint8_t {
  offer = 1,
  want = 2,
  block = 3,
  packet = 4,
  block_end = 5,
  skip = 6,
  done = 7,
  commit = 8,
  end = 9,
  error = 10,
  linked_block = 11,  // Feature::linked_blocks
  cut = 12,           // Feature::cuts
  status = 13,        // Feature::status
  keep_alive = 14,    // Feature::keep_alive
  place = 15,         // Feature::places
  far_request = 17,   // these three before a connection (wire/far_side.hpp)
  far_answer = 18,
  far_go = 19,
  matched_block = 20,  // Feature::matches
  arrived = 24,        // Feature::arrivals
  streams = 25,        // these three with Feature::streams (wire/streams.hpp)
  join = 26,
  split = 27,
  filtered_block = 28,   // Feature::filters
  predicted_block = 29,  // Feature::predictions
  failed = 30,           // Feature::failures
};

/// Bits of the hello: what one side can do and the other may do without.
enum class Feature : std::uint64_t {
  linked_blocks = 1,      ///< a block may refer to the raw bytes before it
  cuts = 2,               ///< a block may end before the length that it announced
  status = 4,             ///< the receiver says how it is doing
  keep_alive = 8,         ///< a side that has nothing to say says so, as often as the other asks
  resume = 16,            ///< the receiver builds on what earlier transfers left of the same files
  returns = 32,           ///< the sender connects again when the connection is lost
  places = 64,            ///< a sender that waits for its turn is told where it is in the queue
  whole_hash = 128,       ///< of a file that is sent in part the sender says the hash of the whole
  metadata = 256,         ///< an entry may have owners, other names, attributes and access lists
  arrivals = 512,         ///< the receiver says how much has arrived
  dense = 1'024,          ///< the receiver takes blocks of codec 4 (codec.hpp)
  matches = 2'048,        ///< the receiver keeps kMatchWindowBytes, which blocks may copy from
  streams = 4'096,        ///< a transfer may have further connections
  shares = 8'192,         ///< the receiver puts files together of which several senders have parts
  filters = 16'384,       ///< a block may have been filtered before it was compressed
  wide_window = 32'768,   ///< more batches may be under way than kMaxBatchesInFlight
  lossy = 65'536,         ///< an entry may say what its contents have lost
  predictions = 131'072,  ///< numbers may be told by what predictions leave of them
  rejoins = 262'144,      ///< when all connections are lost the sender has another one join
  failures = 524'288,     ///< the sender hears of an entry that has failed before all of it came
};
inline constexpr std::uint64_t kAllFeatures = 1'048'575;

inline constexpr std::size_t kHelloBytes = 24;
inline constexpr std::size_t kFrameHeaderBytes = 5;
inline constexpr std::size_t kCheckBytes = 4;

// Limits, each checked before anything of that size is allocated.
inline constexpr std::size_t kMaxRawBlockBytes = 16 << 20;
/// Of codec 4, whose decompressor takes six times as much.
inline constexpr std::size_t kMaxDenseBlockBytes = 4 << 20;
inline constexpr std::size_t kMaxPrefixBytes = 8 << 20;
/// Blocks that a prefix may reach into, so that tiny ones do not take more memory than their bytes.
inline constexpr std::size_t kMaxPrefixBlocks = 4'096;
/// How far back, in the bytes of matched blocks, one may copy from.
inline constexpr std::size_t kMatchWindowBytes = 48 << 20;
inline constexpr std::size_t kMaxMatchedBlockBytes = 8 << 20;
inline constexpr std::size_t kMaxFilteredBlockBytes = 4 << 20;
inline constexpr std::size_t kMaxPredictedBlockBytes = 4 << 20;
inline constexpr std::size_t kMaxPredictedWindows = 1'024;  ///< of one block
inline constexpr std::size_t kMaxWindowNumbers = 64 << 10;  ///< of one of them
inline constexpr std::size_t kMaxMatches = 16 << 10;        ///< of one block
inline constexpr std::size_t kMinMatchBytes = 32;
inline constexpr std::size_t kMaxPacketFrameBytes = 1 << 20;
inline constexpr std::size_t kMaxControlFrameBytes = 1 << 20;
/// Codecs may add a little to a block that turns out not to shrink after its first packet.
inline constexpr std::size_t max_stored_bytes(std::size_t raw_bytes) noexcept {
  return raw_bytes + raw_bytes / 64 + 64;
}
/// Raw, of one batch. Less than a control frame, so that an offer fits whatever its codec added.
inline constexpr std::size_t kMaxManifestBytes = 960 << 10;
inline constexpr std::size_t kMaxBatchEntries = 256;
inline constexpr std::size_t kMaxExtents = 4'096;  ///< data runs of one sparse file
inline constexpr std::size_t kMaxMessageBytes = 1'024;
inline constexpr std::uint8_t kMaxErrorKind = 7;
inline constexpr std::size_t kMaxLinkTargetBytes = 4'095;
// Of the metadata of one entry.
inline constexpr std::uint64_t kMaxOwnerId = 0xffff'fffe;  ///< the next one means nobody
inline constexpr std::size_t kMaxOwnerNameBytes = 255;
inline constexpr std::size_t kMaxAttributes = 1'024;
inline constexpr std::size_t kMaxAttributeNameBytes = 255;
inline constexpr std::size_t kMaxAttributeValueBytes = 64 << 10;
inline constexpr std::size_t kMaxAttributesBytes = 256 << 10;  ///< of all, as they are encoded
inline constexpr std::size_t kMaxAccessRules = 1'024;
inline constexpr std::size_t kMaxAccessListBytes = 64 << 10;  ///< as it is encoded
// What several senders send of one source (wire/share.hpp).
inline constexpr std::uint64_t kShardSeed = 0x41644f43'73686172;
inline constexpr std::uint64_t kSplitBytes = 8 << 20;  ///< a larger file is sent by several
inline constexpr std::uint64_t kMinPieceBytes = 4 << 20;
inline constexpr std::uint64_t kMaxPieces = 1 << 16;  ///< of a file
// Offered and not yet committed (wire/batch_window.hpp). What bounds the memory of both sides.
/// Batches, whatever they are.
inline constexpr std::size_t kMaxBatchesInFlight = 8;
/// With Feature::wide_window so many more, while all of them have no more entries and no more bytes
/// of manifests: enough for 15,000 small files a second at a round trip of 260 ms, two of which a
/// batch is under way. Full batches come to their entries or bytes first; the number is for those
/// that have next to none, which are answered all the same.
inline constexpr std::size_t kMaxBatchesInWideWindow = 64;
inline constexpr std::size_t kMaxEntriesInFlight = 32 * kMaxBatchEntries;
inline constexpr std::size_t kMaxOfferBytesInFlight = 2'560 << 10;
/// What is wanted of an entry then takes no more than a reason not to take it, so that all wants
/// hold 8 MiB, as eight do that are as long as a frame.
inline constexpr std::size_t kMaxWantedRanges = 48;
// Of a transfer with several connections.
inline constexpr std::size_t kMaxStreams = 16;
/// Further connections of one transfer, those that have ended included.
inline constexpr std::size_t kMaxJoins = 1'024;
inline constexpr std::size_t kTokenBytes = 16;
inline constexpr std::size_t kMaxRecordBytes = 128 << 10;
/// How much of a direction may be on its way: the most that a side keeps of what has come out of
/// order, and again of what it has sent and not heard of.
inline constexpr std::size_t kMaxStreamWindow = 32 << 20;
inline constexpr std::size_t kMinStreamWindow = 1 << 20;
// With Feature::rejoins, of what went without records.
/// The least that a sender keeps of it at first, and after how much of it the receiver says at the
/// latest that it was read.
inline constexpr std::size_t kLeastKept = 4 << 20;
inline constexpr std::size_t kMostUntold = 1 << 20;
/// The same of the other direction, of which a receiver keeps kMinStreamWindow.
inline constexpr std::size_t kMostUntoldReplies = 64 << 10;
/// The same in records: none is so short that gaps between them take more memory than their bytes.
inline constexpr std::size_t kMaxRecordsInFlight = 4'096;

}  // namespace adoc
