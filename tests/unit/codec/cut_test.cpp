#include <gtest/gtest.h>

#include "adoc/error.hpp"
#include "unit/codec/codec_fixture.hpp"

namespace adoc::test {
namespace {

constexpr std::size_t kMostToLose = 128 * 1'024;  // what zstd takes in at a time

struct Cut {
  std::size_t raw_bytes = 0;
  Bytes stored;
};

/// Compresses `raw` and cuts it after `packets` packets.
Cut compress_and_cut(Compressor& compressor, std::span<const std::byte> raw, const Rung& rung,
                     std::size_t packets, std::span<const std::byte> prefix = {}) {
  Cut result;
  result.raw_bytes = raw.size();
  compressor.begin(raw, rung.setting, prefix);
  std::size_t bytes = kPacketBytes;
  for (std::size_t count = 0; bytes == kPacketBytes; ++count) {
    if (count == packets) result.raw_bytes = compressor.cut();
    Bytes packet(kPacketBytes);
    bytes = compressor.next_packet(packet);
    result.stored.insert(result.stored.end(), packet.begin(),
                         packet.begin() + static_cast<std::ptrdiff_t>(bytes));
  }
  return result;
}

void expect_first_bytes(const Rung& rung, const Cut& cut, std::span<const std::byte> raw,
                        std::span<const std::byte> prefix = {}) {
  Bytes back(cut.raw_bytes);
  ASSERT_LE(cut.raw_bytes, raw.size());
  ASSERT_NO_THROW(make_decompressor(rung.codec)->decompress(cut.stored, back, prefix));
  EXPECT_TRUE(std::equal(back.begin(), back.end(), raw.begin()));
}

class CutRung : public testing::TestWithParam<Rung> {
 protected:
  const std::unique_ptr<Compressor> compressor_ = make_compressor(GetParam().codec);
};

INSTANTIATE_TEST_SUITE_P(Rungs, CutRung,
                         testing::Values(Rung{CodecId::raw, 0}, Rung{CodecId::zlib, 6},
                                         Rung{CodecId::lz4, 1}, Rung{CodecId::lz4, 9},
                                         Rung{CodecId::zstd, -5}, Rung{CodecId::zstd, 1},
                                         Rung{CodecId::zstd, 3}, Rung{CodecId::zstd, 9},
                                         Rung{CodecId::zstd, 13}, Rung{CodecId::zstd, 19}),
                         [](const auto& rung) { return test_name(rung.param); });

TEST_P(CutRung, ComesBackCutAtAnyMoment) {
  // Goal: whenever a block is cut, what cut() says is in it comes back, no more and no less.
  const Bytes raw = make_data(Kind::mixed, kMiB + 300'000, 1);
  std::size_t shorter = 0;
  for (std::size_t packets = 0; packets * kPacketBytes < raw.size(); packets = 2 * packets + 1) {
    SCOPED_TRACE(testing::Message() << "after " << packets << " packets");
    const Cut cut = compress_and_cut(*compressor_, raw, GetParam(), packets);
    expect_first_bytes(GetParam(), cut, raw);
    if (packets == 0) {
      EXPECT_EQ(cut.raw_bytes, raw.size());
    }
    if (cut.raw_bytes < raw.size()) ++shorter;
  }
  EXPECT_EQ(shorter > 0, GetParam().codec == CodecId::zstd);
}

TEST_P(CutRung, ComesBackWithAPrefixToo) {
  // Goal: a prefix changes nothing of that.
  const Bytes before = make_data(Kind::random, 400'000, 2);
  Bytes raw = make_data(Kind::mixed, kMiB, 3);
  std::copy(before.begin(), before.begin() + 100'000, raw.begin() + 50'000);
  const Cut cut = compress_and_cut(*compressor_, raw, GetParam(), 2, before);
  expect_first_bytes(GetParam(), cut, raw, before);
}

TEST_P(CutRung, BlockAfterACutOneIsWhole) {
  // Goal: a cut ends one block and no other, and may be asked for twice.
  const Bytes raw = make_data(Kind::mixed, kMiB, 4);
  static_cast<void>(compress_and_cut(*compressor_, raw, GetParam(), 3));
  const Bytes next = joined(compress(*compressor_, raw, GetParam().setting, kPacketBytes));
  expect_first_bytes(GetParam(), {raw.size(), next}, raw);
  compressor_->begin(raw, GetParam().setting);
  Bytes packet(kPacketBytes);
  ASSERT_EQ(compressor_->next_packet(packet), packet.size());
  const std::size_t first = compressor_->cut();
  EXPECT_EQ(compressor_->cut(), first);
}

TEST_P(CutRung, FinishedBlockKeepsItsLength) {
  // Goal: after the last packet there is nothing left to cut off.
  const Bytes raw = make_data(Kind::text, kMiB, 5);
  static_cast<void>(compress(*compressor_, raw, GetParam().setting, kPacketBytes));
  EXPECT_EQ(compressor_->cut(), raw.size());
}

TEST(CutZstd, StopsSoonAfterWhatIsOut) {
  // Goal: a cut block holds little more than what its packets so far hold.
  const Bytes raw = make_data(Kind::random, 4 * kMiB, 6);
  const Rung rung{CodecId::zstd, 5};
  const auto compressor = make_compressor(rung.codec);
  const Cut cut = compress_and_cut(*compressor, raw, rung, 10);
  EXPECT_GE(cut.raw_bytes, 10 * kPacketBytes);
  EXPECT_LE(cut.raw_bytes, 10 * kPacketBytes + 2 * kMostToLose);
  expect_first_bytes(rung, cut, raw);
}

TEST(CutZstd, SmallBlockStaysWhole) {
  // Goal: below 1 MiB a block keeps its length, whatever the moment.
  const Bytes raw = make_data(Kind::random, kMiB - 1, 7);
  const Rung rung{CodecId::zstd, 19};
  const auto compressor = make_compressor(rung.codec);
  const Cut cut = compress_and_cut(*compressor, raw, rung, 2);
  EXPECT_EQ(cut.raw_bytes, raw.size());
  expect_first_bytes(rung, cut, raw);
}

}  // namespace
}  // namespace adoc::test
