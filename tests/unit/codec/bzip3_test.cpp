#include <gtest/gtest.h>

#include <atomic>

#include "adoc/error.hpp"
#include "codec/apart.hpp"
#include "codec_fixture.hpp"
#include "support/expect_error.hpp"
#include "util/bytes.hpp"

namespace adoc::test {
namespace {

const Rung kRung{CodecId::bzip3, 1};

/// In a build without the library there is nothing to try here but Bzip3Missing.
class Bzip3 : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_codec(CodecId::bzip3)) GTEST_SKIP() << "built without libbzip3";
    // With repetitions and runs: so its header has both lengths.
    for (int i = 0; i < 3; ++i) {
      const Bytes same = make_data(Kind::random, 100'000, 1);
      raw_.insert(raw_.end(), same.begin(), same.end());
    }
    raw_.resize(raw_.size() + 1'000);
    stored_ = compress_whole(kRung, raw_);
    ASSERT_EQ(stored_[8], std::byte{6});
  }

  /// The stored block, with its header's field at `at` set.
  [[nodiscard]] Bytes with_u32(std::size_t at, std::uint32_t value) const {
    Bytes changed = stored_;
    Bytes field;
    ByteWriter(field).u32(value);
    std::ranges::copy(field, changed.begin() + static_cast<std::ptrdiff_t>(at));
    return changed;
  }

  void refuses(std::string_view why, ByteSpan stored, std::size_t raw_bytes) const {
    SCOPED_TRACE(why);
    Bytes raw(raw_bytes);
    testkit::expect_corrupt(why,
                            [&] { make_decompressor(CodecId::bzip3)->decompress(stored, raw); });
  }

  Bytes raw_;
  Bytes stored_;
};

TEST_F(Bzip3, LengthsThatNoCompressorWritesAreRefused) {
  // Goal: what the library would allocate by, or loop over, is checked before it sees it: the
  // numbers of the header are of its own compressor, or the block is corrupt.
  const auto most = static_cast<std::uint32_t>(raw_.size()) + 128;
  for (const std::size_t at : {9U, 13U}) {
    for (const std::uint32_t size : {most + 1, 0x7fff'ffffU, 0x8000'0000U, 0xffff'ffffU})
      refuses("too large", with_u32(at, size), raw_.size());
    for (const std::uint32_t size : {0U, 3U, 31U})
      refuses("too small", with_u32(at, size), raw_.size());
  }
  for (const std::uint32_t index : {0U, most, 0x7fff'ffffU, 0xffff'fffeU})
    refuses("index is too large", with_u32(4, index), raw_.size());
  refuses("not sorted", with_u32(4, 0xffff'ffffU), raw_.size());
  for (const int model : {1, 8, 0x80, 0xff}) {
    Bytes changed = stored_;
    changed[8] = static_cast<std::byte>(model);
    refuses("unknown kind", changed, raw_.size());
  }
}

TEST_F(Bzip3, AHeaderThatIsCutIsRefused) {
  // Goal: the library reads a header of 17 bytes whatever it is given.
  for (std::size_t size = 0; size <= 17; ++size)
    refuses("cut short", ByteSpan(stored_).first(size), raw_.size());
}

TEST_F(Bzip3, AnotherRawLengthIsRefused) {
  // Goal: a block fills what its header says and nothing else, also one of a few bytes that the
  // library stores as it is.
  for (const std::size_t raw_bytes : {raw_.size() - 1, raw_.size() + 1, raw_.size() / 2}) {
    Bytes raw(raw_bytes);
    testkit::expect_corrupt("bzip3",
                            [&] { make_decompressor(CodecId::bzip3)->decompress(stored_, raw); });
  }
  const Bytes few = compress_whole(kRung, ByteSpan(raw_).first(20));
  refuses("holds more", few, 19);
  refuses("holds less", few, 21);
  refuses("too short to be sorted", stored_, 20);
}

TEST_F(Bzip3, WhatTheLibraryCouldNotReadBackGrows) {
  // Goal: with runs of the bytes 0 to 7 and nothing above them, the library makes blocks that its
  // own decoder refuses (all versions up to 1.5). Such a block counts as one that has grown, which
  // goes raw.
  Bytes raw;
  for (std::size_t i = 0; i < 20'000; ++i)
    raw.insert(raw.end(), 1 + i % 17, static_cast<std::byte>(i % 8));
  const Bytes stored = compress_whole(kRung, raw);
  if (stored.size() < raw.size()) {
    Bytes back(raw.size());
    make_decompressor(CodecId::bzip3)->decompress(stored, back);
    EXPECT_TRUE(back == raw);
  }
}

TEST_F(Bzip3, LongerBlocksAreDenser) {
  // Goal: what the rungs are there for.
  const Bytes text = make_data(Kind::text, 1 << 20, 1);
  std::size_t in_parts = 0;
  for (std::size_t at = 0; at < text.size(); at += 128 << 10)
    in_parts += compress_whole(kRung, ByteSpan(text).subspan(at, 128 << 10)).size();
  EXPECT_LT(compress_whole(kRung, text).size(), in_parts);
}

TEST_F(Bzip3, WorkThatNobodyWaitsForIsLeft) {
  // Goal: a block of seconds does not keep its thread when the transfer has failed, and the next
  // block of the same object is as good as any.
  const Bytes text = make_data(Kind::text, 1 << 20, 1);
  std::atomic<bool> fails = true;
  const auto look = [&] {
    if (fails) throw Error(ErrorKind::interrupted, "enough");
  };
  const auto compressor = make_compressor(CodecId::bzip3, look);
  auto memory = std::make_shared<int>();
  const std::weak_ptr<int> held = memory;
  auto decompressor = make_decompressor(CodecId::bzip3, look, std::move(memory));
  Bytes packet(2 << 20);
  compressor->begin(text, kRung.setting);
  testkit::expect_error(ErrorKind::interrupted, "enough",
                        [&] { static_cast<void>(compressor->next_packet(packet)); });
  fails = false;
  compressor->begin(text, kRung.setting);
  packet.resize(compressor->next_packet(packet));
  EXPECT_GT(compressor->seconds_elsewhere(), 0) << "what another thread did counts";
  EXPECT_TRUE(packet == compress_whole(kRung, text));
  Bytes raw(text.size());
  fails = true;
  testkit::expect_error(ErrorKind::interrupted, "enough",
                        [&] { decompressor->decompress(packet, raw); });
  fails = false;
  decompressor->decompress(packet, raw);
  EXPECT_TRUE(raw == text);
  EXPECT_FALSE(held.expired());
  decompressor.reset();
  wait_for_work_left_alone(look);
  EXPECT_TRUE(held.expired()) << "what nobody is at keeps no memory";
}

TEST(Bzip3Missing, IsCorruptAndHasNoRungs) {
  // Goal: a build without the library says so, and is never asked for more than it has.
  const Ladder ladder = Ladder::named("auto");
  if (has_codec(CodecId::bzip3)) {
    EXPECT_EQ(ladder[ladder.last()].codec, CodecId::bzip3);
    EXPECT_GT(decompressor_bytes(CodecId::bzip3, 1 << 20), std::size_t{5} << 20);
  } else {
    EXPECT_EQ(ladder.last(), ladder.top());
    testkit::expect_corrupt("built without",
                            [] { static_cast<void>(make_decompressor(CodecId::bzip3)); });
    testkit::expect_corrupt("built without",
                            [] { static_cast<void>(make_compressor(CodecId::bzip3)); });
  }
}

}  // namespace
}  // namespace adoc::test
