#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "support/expect_error.hpp"
#include "wire/block.hpp"
#include "wire/entry.hpp"
#include "wire/offer.hpp"
#include "wire/outcome.hpp"
#include "wire/want.hpp"

namespace adoc {
namespace {

using testkit::expect_corrupt;
using Octets = std::initializer_list<std::uint8_t>;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;
constexpr std::uint64_t kAny64 = ~std::uint64_t{0};

/// Writes a record field by field, as a hostile peer would, and says how it is refused.
template <typename Record>
void refuses(std::string_view why, const std::function<void(ByteWriter&)>& write) {
  Bytes bytes;
  ByteWriter out(bytes);
  write(out);
  expect_corrupt(why, [&] { static_cast<void>(Record::decode(bytes)); });
}

void write_block(ByteWriter& out, std::uint64_t offset, std::uint64_t raw_bytes) {
  out.varint(0);
  out.varint(offset);
  out.varint(raw_bytes);
  out.u8(0);
  out.u8(0);
  out.u64(0);
}

void write_cut(ByteWriter& out, std::uint64_t stored_bytes, std::uint64_t raw_bytes) {
  out.varint(stored_bytes);
  out.varint(raw_bytes);
  out.u64(0);
}

TEST(BoundsTest, BlocksOutOfBoundsAreErrors) {
  // Goal: a block is 1 byte to the limit long and ends below 2^64.
  refuses<BlockHeader>("it is empty", [](auto& out) { write_block(out, 0, 0); });
  for (const std::uint64_t bytes : {std::uint64_t{kMaxRawBlockBytes} + 1, kHuge, kAny64})
    refuses<BlockHeader>("the limit is 16777216", [&](auto& out) { write_block(out, 0, bytes); });
  refuses<BlockHeader>("offset is too large", [](auto& out) { write_block(out, kAny64, 1); });
  refuses<BlockHeader>("offset is too large", [](auto& out) { write_block(out, kAny64 - 8, 10); });

  for (const std::uint64_t bytes : {max_stored_bytes(kMaxRawBlockBytes) + 1, kHuge, kAny64}) {
    refuses<BlockEnd>("the stored length", [&](auto& out) { out.varint(bytes); });
    refuses<Cut>("the stored length", [&](auto& out) { write_cut(out, bytes, 1); });
  }
  refuses<Cut>("it is empty", [](auto& out) { write_cut(out, 1, 0); });
  for (const std::uint64_t bytes : {std::uint64_t{kMaxRawBlockBytes} + 1, kHuge, kAny64})
    refuses<Cut>("the raw length", [&](auto& out) { write_cut(out, 1, bytes); });
  refuses<Skip>("length is too large", [](auto& out) {
    out.varint(0);
    out.varint(kHuge);
    out.varint(kHuge);
  });
}

TEST(BoundsTest, LinkedBlocksOutOfBoundsAreErrors) {
  // Goal: what holds of a block holds of a linked one, and a prefix has a limit of its own.
  refuses<LinkedBlockHeader>("it is empty", [](auto& out) { write_block(out, 0, 0); });
  refuses<LinkedBlockHeader>("offset is too large", [](auto& out) { write_block(out, kAny64, 1); });
  for (const std::uint64_t prefix : {std::uint64_t{kMaxPrefixBytes} + 1, kHuge, kAny64})
    refuses<LinkedBlockHeader>("the prefix", [&](auto& out) {
      write_block(out, 0, 1);
      out.varint(prefix);
    });
}

TEST(BoundsTest, MatchedBlocksOutOfBoundsAreErrors) {
  // Goal: matches lie within their block, copy from before it, and are neither tiny nor too many.
  constexpr std::size_t kBlock = 1'000;
  const auto block_of = [](std::size_t bytes, const std::vector<Match>& matches) {
    return [=](ByteWriter& out) {
      write_block(out, 0, bytes);
      out.varint(matches.size());
      for (const Match& match : matches) {
        out.varint(match.literals);
        out.varint(match.length);
        out.varint(match.distance);
      }
    };
  };
  using Matched = MatchedBlockHeader;
  refuses<Matched>("it is empty", block_of(0, {}));
  refuses<Matched>("it is too long", block_of(kMaxMatchedBlockBytes + 1, {}));
  refuses<Matched>("the literals", block_of(kBlock, {{kBlock + 1, 32, 32}}));
  refuses<Matched>("a match is 33", block_of(kBlock, {{kBlock - 32, 33, 33}}));
  refuses<Matched>("a match is 500", block_of(kBlock, {{0, 501, 501}, {0, 500, 500}}));
  refuses<Matched>("too short", block_of(kBlock, {{0, kMinMatchBytes - 1, 100}}));
  refuses<Matched>("its own block", block_of(kBlock, {{10, 100, 99}}));
  refuses<Matched>("a distance", block_of(kBlock, {{10, 100, kMatchWindowBytes + 1}}));
  refuses<Matched>("the matches", [](auto& out) {
    write_block(out, 0, kBlock);
    out.varint(kMaxMatches + 1);
  });
}

TEST(BoundsTest, OffersOutOfBoundsAreErrors) {
  // Goal: unknown flags and a manifest above the limit are refused.
  const auto offer = [](std::uint8_t flags, std::uint64_t raw_bytes) {
    return [=](ByteWriter& out) {
      out.varint(0);
      out.u8(flags);
      out.u8(0);
      out.varint(raw_bytes);
    };
  };
  for (const std::uint8_t flags : Octets{8, 15, 128, 255})
    refuses<Offer>("unknown flags", offer(flags, 0));
  for (const std::uint64_t bytes : {std::uint64_t{kMaxManifestBytes} + 1, kHuge, kAny64})
    refuses<Offer>("the manifest's length", offer(0, bytes));
}

TEST(BoundsTest, WantsOutOfBoundsAreErrors) {
  // Goal: counts, verbs, ranges and reasons are each held to their limit.
  const auto items = [](std::uint64_t count, std::function<void(ByteWriter&)> rest) {
    return [=](ByteWriter& out) {
      out.varint(0);
      out.varint(count);
      if (rest) rest(out);
    };
  };
  for (const std::uint64_t count : {std::uint64_t{kMaxBatchEntries} + 1, kHuge, kAny64})
    refuses<Want>("the number of items", items(count, {}));
  for (const std::uint8_t verb : Octets{4, 128, 255})
    refuses<Want>("no verb " + std::to_string(verb),
                  items(1, [=](ByteWriter& out) { out.u8(verb); }));
  for (const std::uint64_t runs : {std::uint64_t{kMaxExtents} + 1, kHuge, kAny64})
    refuses<Want>("the number of runs", items(1, [=](ByteWriter& out) {
                    out.u8(2);
                    out.varint(runs);
                  }));
  refuses<Want>("a run is empty", items(1, [](ByteWriter& out) {
                  for (const std::uint8_t byte : Octets{2, 1, 0, 0}) out.u8(byte);
                }));
  refuses<Want>("a run is", items(1, [](ByteWriter& out) {
                  out.u8(2);
                  out.varint(1);
                  out.varint(1);
                  out.varint(kAny64);
                }));
  refuses<Want>("a gap is", items(1, [](ByteWriter& out) {
                  out.u8(2);
                  out.varint(2);
                  out.varint(kHuge);
                  out.varint(kHuge - 1);
                  out.varint(1);
                }));
  for (const std::uint64_t length : {std::uint64_t{kMaxMessageBytes} + 1, kHuge})
    refuses<Want>("a text's length", items(1, [=](ByteWriter& out) {
                    out.u8(3);
                    out.varint(length);
                  }));
}

TEST(BoundsTest, DonesOutOfBoundsAreErrors) {
  // Goal: counts, indexes and reasons are limited, and the indexes ascend.
  const auto done = [](std::uint64_t count, std::initializer_list<std::uint64_t> entries) {
    return [=, list = std::vector<std::uint64_t>(entries)](ByteWriter& out) {
      out.varint(0);
      out.varint(0);
      out.varint(count);
      for (const std::uint64_t entry : list) {
        out.varint(entry);
        out.string("reason");
      }
    };
  };
  for (const std::uint64_t count : {std::uint64_t{kMaxBatchEntries} + 1, kHuge, kAny64})
    refuses<Done>("the number of failures", done(count, {}));
  for (const std::uint64_t entry : {std::uint64_t{kMaxBatchEntries}, kHuge, kAny64})
    refuses<Done>("an entry's index", done(1, {entry}));
  refuses<Done>("do not ascend", done(2, {3, 3}));
  refuses<Done>("do not ascend", done(3, {0, 5, 4}));
  refuses<Done>("a text's length", [](ByteWriter& out) {
    for (const std::uint8_t byte : Octets{0, 0, 1, 0}) out.u8(byte);
    out.varint(kHuge);
  });
}

TEST(BoundsTest, HashesOfADoneOutOfBoundsAreErrors) {
  // Goal: there is no empty list of them, indexes ascend and are in bounds, hashes are whole, and
  // what failed has none.
  const auto hashes = [](std::uint64_t count, std::initializer_list<std::uint64_t> entries,
                         std::size_t hash_bytes = 16) {
    return [=, list = std::vector<std::uint64_t>(entries)](ByteWriter& out) {
      for (const std::uint8_t byte : Octets{0, 0, 1, 7, 0}) out.u8(byte);  // entry 7 failed
      out.varint(count);
      for (const std::uint64_t entry : list) {
        out.varint(entry);
        out.bytes(Bytes(hash_bytes));
      }
    };
  };
  refuses<Done>("list of hashes is empty", hashes(0, {}));
  for (const std::uint64_t count : {std::uint64_t{kMaxBatchEntries} + 1, kHuge, kAny64})
    refuses<Done>("the number of hashes", hashes(count, {}));
  for (const std::uint64_t entry : {std::uint64_t{kMaxBatchEntries}, kHuge, kAny64})
    refuses<Done>("an entry's index", hashes(1, {entry}));
  refuses<Done>("do not ascend", hashes(2, {3, 3}));
  refuses<Done>("an entry that failed has a hash", hashes(2, {3, 7}));
  refuses<Done>("ends too early", hashes(1, {3}, 15));
  refuses<Done>("bytes too many", hashes(1, {3}, 17));
}

TEST(BoundsTest, CommitsAndErrorsOutOfBoundsAreErrors) {
  // Goal: counts, fates, error kinds and texts are held to what is defined.
  for (const std::uint64_t count : {std::uint64_t{kMaxBatchEntries} + 1, kHuge, kAny64})
    refuses<Commit>("the number of items", [&](ByteWriter& out) {
      out.varint(0);
      out.varint(count);
    });
  for (const std::uint8_t fate : Octets{4, 128, 255})
    refuses<Commit>("no fate " + std::to_string(fate), [&](ByteWriter& out) {
      for (const std::uint8_t byte : Octets{0, 1, fate}) out.u8(byte);
    });
  refuses<Commit>("a text's length", [](ByteWriter& out) {
    for (const std::uint8_t byte : Octets{0, 1, 3}) out.u8(byte);
    out.varint(kMaxMessageBytes + 1);
  });
  for (const std::uint8_t kind : Octets{8, 128, 255})
    refuses<ErrorFrame>("no error kind " + std::to_string(kind), [&](ByteWriter& out) {
      out.u8(kind);
      out.string("why");
    });
  for (const std::uint64_t length : {std::uint64_t{kMaxMessageBytes} + 1, kHuge})
    refuses<ErrorFrame>("a text's length", [&](ByteWriter& out) {
      out.u8(0);
      out.varint(length);
    });
}

TEST(BoundsTest, NumbersNotInTheirShortestFormAreErrors) {
  // Goal: a record has one encoding, in every kind of field.
  for (const auto& bytes : {Bytes{std::byte{0x80}, std::byte{0x00}},
                            Bytes{std::byte{0x81}, std::byte{0x80}, std::byte{0x00}}}) {
    expect_corrupt("shortest form", [&] { static_cast<void>(End::decode(bytes)); });
    expect_corrupt("shortest form", [&] { static_cast<void>(BlockEnd::decode(bytes)); });
    expect_corrupt("shortest form", [&] { static_cast<void>(Offer::decode(bytes)); });
  }
}

TEST(BoundsTest, ReasonsOfOurOwnAreCutToTheLimit) {
  // Goal: a long message loses its end instead of breaking the protocol.
  const std::string reason(5'000, 'r');
  const std::string cut(kMaxMessageBytes, 'r');
  Bytes bytes;
  ByteWriter out(bytes);
  Done{.failures = {{1, reason}}}.encode(out);
  EXPECT_EQ(Done::decode(bytes).failures.at(0).reason, cut);
  bytes.clear();
  Commit{.items = {{Fate::failed, reason}}}.encode(out);
  EXPECT_EQ(Commit::decode(bytes).items.at(0).reason, cut);
  bytes.clear();
  Want{.items = {{Verb::refuse, {}, reason}}}.encode(out);
  EXPECT_EQ(Want::decode(bytes).items.at(0).reason, cut);
  bytes.clear();
  ErrorFrame{.kind = 1, .message = reason}.encode(out);
  EXPECT_EQ(ErrorFrame::decode(bytes).message, cut);
}

}  // namespace
}  // namespace adoc
