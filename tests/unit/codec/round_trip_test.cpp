#include <gtest/gtest.h>

#include <random>

#include "adoc/error.hpp"
#include "unit/codec/codec_fixture.hpp"

namespace adoc::test {
namespace {

constexpr std::size_t kBlockBytes = 204'800;

class EveryRung : public testing::TestWithParam<Rung> {
 protected:
  void expect_round_trip(Kind kind, std::size_t size, std::size_t packet_bytes) {
    SCOPED_TRACE(testing::Message() << name(kind) << ", " << size << " bytes, packets of "
                                    << packet_bytes << ", seed " << seed_);
    const Bytes raw = make_data(kind, size, seed_);
    const auto packets = compress(*compressor_, raw, GetParam().setting, packet_bytes);
    Bytes back(size, std::byte{0xA5});
    ASSERT_NO_THROW(decompressor_->decompress(joined(packets), back));
    ASSERT_TRUE(back == raw);
  }

  const std::uint32_t seed_ = std::random_device{}();
  const std::unique_ptr<Compressor> compressor_ = make_compressor(GetParam().codec);
  const std::unique_ptr<Decompressor> decompressor_ = make_decompressor(GetParam().codec);
};

INSTANTIATE_TEST_SUITE_P(Ladders, EveryRung, testing::ValuesIn(every_rung()),
                         [](const auto& rung) { return test_name(rung.param); });

TEST_P(EveryRung, GivesBackBlocksOfEverySizeAndKind) {
  // Goal: one compressor and one decompressor, reused, give back every block they are given.
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, kPacketBytes - 1,
                                 kPacketBytes, kPacketBytes + 1, kBlockBytes}) {
    for (const Kind kind : kKinds) expect_round_trip(kind, size, kPacketBytes);
  }
  expect_round_trip(Kind::mixed, kBlockBytes - 1, kPacketBytes);
}

TEST_P(EveryRung, GivesBackBlocksInOddPackets) {
  // Goal: no packet size is special, not even one byte.
  for (const std::size_t packet_bytes : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 18}) {
    for (const Kind kind : kKinds) expect_round_trip(kind, 20'000, packet_bytes);
  }
}

TEST_P(EveryRung, PacketBordersCostNoRatio) {
  // Goal: many packets hold the same stream as a single one does (Jeannot 2002, section 3.3).
  const Bytes raw = make_data(Kind::mixed, kBlockBytes, seed_);
  const auto stored_in = [&](std::size_t packet_bytes) {
    // A new compressor each time, since what lz4 finds depends on its earlier blocks.
    const auto compressor = make_compressor(GetParam().codec);
    return joined(compress(*compressor, raw, GetParam().setting, packet_bytes)).size();
  };
  const std::size_t whole = stored_in(kMiB);
  const std::size_t small = stored_in(64);
  // zstd finishes a frame that fits its output in one go, which may end its last block otherwise.
  const std::size_t allowance = GetParam().codec == CodecId::zstd ? 16 : 0;
  EXPECT_LE(small, whole + allowance) << "seed " << seed_;
  EXPECT_GE(small + allowance, whole) << "seed " << seed_;
}

TEST_P(EveryRung, AbandonedBlockLeavesNoTrace) {
  // Goal: a block dropped halfway on both sides, at any level, does not reach into the next one.
  const Bytes dropped = make_data(Kind::random, kBlockBytes, seed_);
  const Bytes raw = make_data(Kind::mixed, 50'000, seed_ + 1);
  const std::size_t fresh_bytes = compress_whole(GetParam(), raw).size();
  for (const Rung& other : every_rung()) {
    if (other.codec != GetParam().codec) continue;
    Bytes packet(100);
    compressor_->begin(dropped, other.setting);
    ASSERT_EQ(compressor_->next_packet(packet), packet.size());
    Bytes unfinished(kBlockBytes);
    ASSERT_THROW(decompressor_->decompress(packet, unfinished), Error);

    const auto packets = compress(*compressor_, raw, GetParam().setting, kPacketBytes);
    // What the fast lz4 finds depends on its earlier blocks: as good, but not the same.
    if (GetParam().codec != CodecId::lz4) {
      EXPECT_EQ(joined(packets).size(), fresh_bytes)
          << "after " << to_string(other) << ", seed " << seed_;
    }
    Bytes back(raw.size());
    ASSERT_NO_THROW(decompressor_->decompress(joined(packets), back)) << "seed " << seed_;
    EXPECT_TRUE(back == raw) << "after " << to_string(other) << ", seed " << seed_;
  }
}

TEST_P(EveryRung, StreamOfExactlyNPacketsEndsInAnEmptyOne) {
  // Goal: a full last packet is followed by 0, so that "full" always means "ask again".
  const Bytes raw = make_data(Kind::text, 5'000, seed_);
  Bytes packet(compress_whole(GetParam(), raw).size());
  compressor_->begin(raw, GetParam().setting);
  EXPECT_EQ(compressor_->next_packet(packet), packet.size());
  EXPECT_EQ(compressor_->next_packet(packet), 0U);
  EXPECT_EQ(compressor_->next_packet(packet), 0U);
}

class LargeBlocks : public EveryRung {};

INSTANTIATE_TEST_SUITE_P(Some, LargeBlocks,
                         testing::Values(Rung{CodecId::raw, 0}, Rung{CodecId::zlib, 1},
                                         Rung{CodecId::lz4, 1}, Rung{CodecId::lz4, 3},
                                         Rung{CodecId::zstd, -5}, Rung{CodecId::zstd, 1},
                                         Rung{CodecId::zstd, 5}),
                         [](const auto& rung) { return test_name(rung.param); });

TEST_P(LargeBlocks, GiveBackMebibytes) {
  // Goal: blocks larger than any codec's window or internal buffer come back too.
  for (const Kind kind : kKinds) expect_round_trip(kind, kMiB, kPacketBytes);
  expect_round_trip(Kind::mixed, 8 * kMiB, kPacketBytes);
}

TEST(LargestBlock, FitsTheWindowOfTheDensestLevel) {
  // Goal: the decompressor's window limit admits what the densest level makes of 16 MiB.
  const Bytes raw(16 * kMiB, std::byte{0x20});
  const Bytes stored = compress_whole({CodecId::zstd, 19}, raw);
  Bytes back(raw.size());
  make_decompressor(CodecId::zstd)->decompress(stored, back);
  EXPECT_TRUE(back == raw);
}

TEST(NothingBegun, HasNoPackets) {
  // Goal: a compressor that was given no block hands out nothing.
  for (const CodecId id : {CodecId::raw, CodecId::zlib, CodecId::lz4, CodecId::zstd}) {
    Bytes packet(10);
    const auto compressor = make_compressor(id);
    EXPECT_EQ(compressor->next_packet(packet), 0U) << codec_name(id);
  }
}

}  // namespace
}  // namespace adoc::test
