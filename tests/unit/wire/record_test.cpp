#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "adoc/error.hpp"
#include "support/expect_error.hpp"
#include "support/random_records.hpp"
#include "wire/frame.hpp"

namespace adoc {
namespace {

using testkit::encode_record;
using testkit::EntryRecord;
using testkit::expect_corrupt;
using testkit::random_record;
using testkit::up_to;

constexpr int kRounds = 200;

/// What every record does, whatever is in it.
template <typename T>
class RecordTest : public testing::Test {};

using Records = testing::Types<EntryRecord, Offer, Want, BlockHeader, LinkedBlockHeader,
                               MatchedBlockHeader, FilteredBlockHeader, PredictedBlockHeader,
                               BlockEnd, Cut, Skip, Done, Commit, Status, End, ErrorFrame>;
TYPED_TEST_SUITE(RecordTest, Records);

TYPED_TEST(RecordTest, ComesBackAsItWas) {
  // Goal: each field survives the way there and back.
  auto rng = testkit::seeded_rng();
  for (int round = 0; round < kRounds; ++round) {
    const auto record = random_record<TypeParam>(rng);
    ASSERT_TRUE(TypeParam::decode(encode_record(record)) == record) << "round " << round;
  }
}

TYPED_TEST(RecordTest, EveryTruncationIsAnError) {
  // Goal: a record that lost its end is never read as a shorter one.
  auto rng = testkit::seeded_rng();
  for (int round = 0; round < 20; ++round) {
    auto record = random_record<TypeParam>(rng);
    // The stored bytes of an offer reach to its end; what is missing there, the codec finds.
    if constexpr (std::is_same_v<TypeParam, Offer>) record.stored.clear();
    // Without its hashes a done is one of a batch that needs none; the receiver knows better.
    if constexpr (std::is_same_v<TypeParam, Done>) record.hashes.clear();
    const Bytes bytes = encode_record(record);
    const std::size_t step = bytes.size() > 3'000 ? 97 : 1;
    for (std::size_t cut = 0; cut < bytes.size(); cut += step)
      expect_corrupt("too early",
                     [&] { static_cast<void>(TypeParam::decode(ByteSpan(bytes).first(cut))); });
  }
}

TYPED_TEST(RecordTest, TrailingBytesAreAnError) {
  // Goal: nothing rides along behind a record's last field.
  if constexpr (!std::is_same_v<TypeParam, Offer>) {
    auto rng = testkit::seeded_rng();
    auto record = random_record<TypeParam>(rng);
    if constexpr (std::is_same_v<TypeParam, Done>) record = {.hashes = {{.entry = 3}}};
    Bytes bytes = encode_record(record);
    bytes.push_back(std::byte{0});
    expect_corrupt("1 bytes too many", [&] { static_cast<void>(TypeParam::decode(bytes)); });
  } else {
    Bytes bytes = encode_record(Offer{});
    bytes.push_back(std::byte{7});
    EXPECT_EQ(Offer::decode(bytes).stored, Bytes{std::byte{7}});
  }
}

TYPED_TEST(RecordTest, ChangedBytesAreReadOrRefusedButNothingElse) {
  // Goal: without the check value, made-up bytes give a record with one encoding, or
  // Error(corrupt).
  auto rng = testkit::seeded_rng();
  int refused = 0;
  for (int round = 0; round < kRounds * 10; ++round) {
    Bytes bytes = encode_record(random_record<TypeParam>(rng));
    if (bytes.size() > 2'000) continue;
    for (std::uint64_t changes = 1 + up_to(rng, 3); changes != 0; --changes)
      bytes[up_to(rng, bytes.size() - 1)] = static_cast<std::byte>(up_to(rng, 255));
    try {
      ASSERT_EQ(encode_record(TypeParam::decode(bytes)), bytes) << "round " << round;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

/// What every record does inside its frame; an entry has none.
template <typename T>
class FramedRecordTest : public testing::Test {
 public:
  /// Reads a frame as a receiver does that knows only the bytes. Returns the type.
  static FrameType read(ByteSpan frame) {
    const auto header = FrameHeader::decode(frame.first(kFrameHeaderBytes));
    ByteReader in(frame.subspan(kFrameHeaderBytes), "stream");
    const ByteSpan payload = in.bytes(header.payload_bytes);
    // Packets carry no check: what protects them is the order of frames and the block's checksum.
    if (header.type == FrameType::packet) return header.type;
    const ByteSpan record = open_record(header.type, payload);
    in.expect_end();
    static_cast<void>(T::decode(record));
    return header.type;
  }
};

using FramedRecords =
    testing::Types<Offer, Want, BlockHeader, LinkedBlockHeader, MatchedBlockHeader,
                   FilteredBlockHeader, PredictedBlockHeader, BlockEnd, Cut, Skip, Done, Commit,
                   Status, KeepAlive, QueuePlace, Arrived, Failed, End, ErrorFrame>;
TYPED_TEST_SUITE(FramedRecordTest, FramedRecords);

TYPED_TEST(FramedRecordTest, EveryBitFlipIsCaught) {
  // Goal: no single flipped bit of a frame passes, and each is reported as the peer's fault.
  auto rng = testkit::seeded_rng();
  for (int round = 0; round < 20; ++round) {
    Bytes frame = encode_frame(random_record<TypeParam>(rng));
    ASSERT_EQ(TestFixture::read(frame), TypeParam::kType);
    const std::size_t step = frame.size() > 2'000 ? 89 : 1;
    for (std::size_t bit = 0; bit < frame.size() * 8; bit += step) {
      const auto mask = std::byte{1} << (bit % 8);
      frame[bit / 8] ^= mask;
      try {
        ASSERT_EQ(TestFixture::read(frame), FrameType::packet) << "bit " << bit << " passed";
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
      }
      frame[bit / 8] ^= mask;
    }
  }
}

TYPED_TEST(FramedRecordTest, EveryCutPayloadFailsItsCheck) {
  // Goal: a frame whose length was shortened along with it is caught too, stored bytes included.
  auto rng = testkit::seeded_rng();
  const Bytes frame = encode_frame(random_record<TypeParam>(rng));
  const ByteSpan payload = ByteSpan(frame).subspan(kFrameHeaderBytes);
  const std::size_t step = payload.size() > 5'000 ? 997 : 1;
  for (std::size_t cut = 0; cut < payload.size(); cut += step)
    expect_corrupt("check value",
                   [&] { static_cast<void>(open_record(TypeParam::kType, payload.first(cut))); });
}

}  // namespace
}  // namespace adoc
