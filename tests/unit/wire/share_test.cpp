#include "wire/share.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "adoc/error.hpp"
#include "wire/entry.hpp"
#include "wire/stream_layout.hpp"

namespace adoc {
namespace {

Entry large_file(std::uint64_t size) {
  return {.name = SafeName::check("dir/large"), .mode = 0644, .size = size};
}

/// The bytes that one shard sends of the entry when all is wanted.
std::vector<Piece> sent(Entry entry, const Shard& shard) {
  entry.share = Share{.shard = shard};
  const WantItem want{.verb = Verb::take, .ranges = {{0, kUnknownSize}}};
  EntryPieces pieces(0, entry, want);
  std::vector<Piece> all;
  std::uint64_t bytes = 0;
  while (const auto piece = pieces.next()) {
    all.push_back(*piece);
    bytes += piece->length;
  }
  EXPECT_EQ(bytes, entry.data_bytes());
  return all;
}

TEST(ShareTest, WhoSendsWhatStaysTheSame) {
  // Goal: senders of different versions divide a tree in the same way.
  EXPECT_EQ(shard_of_name("dir/file", 1), 1U);
  EXPECT_EQ(shard_of_name("dir/file", 1'000), 578U);
  EXPECT_EQ(shard_of_inode(4'711, 1'000), 779U);
  EXPECT_EQ(piece_bytes(0), 4U << 20);
  EXPECT_EQ(piece_bytes(std::uint64_t{1} << 38), 4U << 20);
  EXPECT_EQ(piece_bytes((std::uint64_t{1} << 38) + 1), 8U << 20);
  EXPECT_EQ(piece_bytes(10'000'000'000'000), 256U << 20);
  EXPECT_LE(piece_bytes(0x7fff'ffff'ffff'ffff), std::uint64_t{1} << 47);
}

TEST(ShareTest, EachByteIsOfOneShard) {
  // Goal: together the shards of a file are the file, and each has as much as any other, but for a
  // piece.
  for (const std::uint64_t size : {(8U << 20) + 1U, 50'000'000U, 4U << 20, 400U << 20}) {
    for (const std::uint32_t count : {1U, 2U, 3U, 7U, 64U, kMaxShards}) {
      std::vector<std::uint64_t> owners(size / kMinPieceBytes + 1);
      std::uint64_t bytes = 0, least = size, most = 0;
      for (std::uint32_t number = 1; number <= count; ++number) {
        const SharePieces pieces({number, count}, "dir/large", size);
        std::uint64_t own = 0;
        for (auto i = pieces.next(0); i; i = pieces.next(*i + 1)) {
          ++owners[*i];
          own += pieces.extent(*i).length;
        }
        EXPECT_EQ(own, pieces.bytes());
        bytes += own;
        least = std::min(least, own);
        most = std::max(most, own);
      }
      EXPECT_EQ(bytes, size);
      EXPECT_LE(most - least, kMinPieceBytes * 2);
      for (std::uint64_t i = 0; i * kMinPieceBytes < size; ++i) EXPECT_EQ(owners[i], 1U);
    }
  }
}

TEST(ShareTest, TheStreamHasThePiecesOfTheShardAlone) {
  // Goal: of what is wanted and holds data only the shard's pieces come, each by itself.
  Entry entry = large_file(30'000'000);
  std::uint64_t bytes = 0;
  for (std::uint32_t number = 1; number <= 3; ++number)
    for (const Piece& piece : sent(entry, {number, 3})) bytes += piece.length;
  EXPECT_EQ(bytes, 30'000'000U);
  entry.data = {{1'000, 10}, {4'194'300, 8'388'700}, {29'999'999, 1}};
  bytes = 0;
  std::set<std::uint64_t> begins;
  for (std::uint32_t number = 1; number <= 3; ++number)
    for (const Piece& piece : sent(entry, {number, 3})) {
      bytes += piece.length;
      begins.insert(piece.file_offset);
    }
  EXPECT_EQ(bytes, 10U + 8'388'700U + 1U);
  EXPECT_EQ(begins, (std::set<std::uint64_t>{1'000, 4'194'300, 4'194'304, 8'388'608, 12'582'912,
                                             29'999'999}));
}

TEST(ShareTest, AShareIsNoPartOfWhatIsThere) {
  // Goal: nobody is asked for the hash of a whole of which each has a part.
  Entry entry = large_file(30'000'000);
  entry.share = Share{.shard = {1, 2}};
  EXPECT_FALSE(wanted_in_part(entry, {.verb = Verb::take, .ranges = {{0, 5'000'000}}}));
}

TEST(ShareTest, ImpossibleSharesAreRefused) {
  // Goal: what no sender has does not come in.
  const auto decoded = [](std::uint64_t number, std::uint64_t count, std::uint64_t nanoseconds) {
    Bytes bytes;
    ByteWriter out(bytes);
    out.varint(number);
    out.varint(count);
    out.signed_varint(-5);
    out.varint(nanoseconds);
    ByteReader in(bytes, "share");
    return Share::decode(in);
  };
  EXPECT_EQ(decoded(2, 3, 999'999'999), (Share{{2, 3}, -5, 999'999'999}));
  EXPECT_EQ(decoded(kMaxShards, kMaxShards, 0).shard.count, kMaxShards);
  EXPECT_THROW(static_cast<void>(decoded(0, 3, 0)), Error);
  EXPECT_THROW(static_cast<void>(decoded(0, 0, 0)), Error);
  EXPECT_THROW(static_cast<void>(decoded(4, 3, 0)), Error);
  EXPECT_THROW(static_cast<void>(decoded(1, kMaxShards + 1, 0)), Error);
  EXPECT_THROW(static_cast<void>(decoded(1, 2, 1'000'000'000)), Error);
}

}  // namespace
}  // namespace adoc
