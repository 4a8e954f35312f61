#include <gtest/gtest.h>

#include "adoc/error.hpp"
#include "unit/codec/codec_fixture.hpp"

namespace adoc::test {
namespace {

constexpr std::size_t kKiB = 1'024;

class Prefix : public testing::TestWithParam<Rung> {
 protected:
  /// Noise that came before, and a block that repeats parts of it and has some of its own.
  void SetUp() override {
    before_ = make_data(Kind::random, 300 * kKiB, 1);
    raw_ = make_data(Kind::mixed, 40 * kKiB, 2);
    raw_.insert(raw_.end(), before_.begin() + 1'000, before_.begin() + 60'000);
    raw_.insert(raw_.end(), before_.end() - 50'000, before_.end());
  }

  [[nodiscard]] Bytes stored(std::span<const std::byte> raw,
                             std::span<const std::byte> prefix) const {
    return compress_whole(GetParam(), raw, prefix);
  }

  [[nodiscard]] Bytes back(std::span<const std::byte> stored, std::size_t raw_bytes,
                           std::span<const std::byte> prefix) {
    Bytes result(raw_bytes, std::byte{0xA5});
    decompressor_->decompress(stored, result, prefix);
    return result;
  }

  Bytes before_;
  Bytes raw_;
  const std::unique_ptr<Decompressor> decompressor_ = make_decompressor(GetParam().codec);
};

std::vector<Rung> one_of_each_codec_and_all_of_zstd() {
  std::vector<Rung> rungs{{CodecId::raw, 0}, {CodecId::zlib, 6}, {CodecId::lz4, 1}};
  for (const Rung& rung : every_rung()) {
    if (rung.codec == CodecId::zstd) rungs.push_back(rung);
  }
  return rungs;
}

INSTANTIATE_TEST_SUITE_P(Rungs, Prefix, testing::ValuesIn(one_of_each_codec_and_all_of_zstd()),
                         [](const auto& rung) { return test_name(rung.param); });

TEST_P(Prefix, BlockComesBackWithThePrefixItWasGiven) {
  // Goal: a block with a prefix round-trips at every level, whatever the prefix's length.
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{5'000}, before_.size()}) {
    const auto prefix = std::span(before_).last(bytes);
    EXPECT_TRUE(back(stored(raw_, prefix), raw_.size(), prefix) == raw_) << bytes;
    EXPECT_TRUE(back(stored({}, prefix), 0, prefix).empty()) << bytes;
  }
}

TEST_P(Prefix, BlockThatMayBeCutComesBackToo) {
  // Goal: the same for blocks of 1 MiB and more, which are begun without their length.
  Bytes large = make_data(Kind::mixed, 800 * kKiB, 3);
  large.insert(large.end(), before_.begin(), before_.end());
  EXPECT_TRUE(back(stored(large, before_), large.size(), before_) == large);
  // One that is too short to be of use, which zstd would take for the size of all.
  const auto prefix = std::span(before_).first(200 * kKiB);
  if (GetParam().setting < 6) {
    EXPECT_TRUE(back(stored(large, prefix), large.size(), prefix) == large);
  }
}

TEST_P(Prefix, NextBlockWithoutOneRefersToNone) {
  // Goal: a prefix counts for one block only, in the compressor and in the decompressor.
  const auto compressor = make_compressor(GetParam().codec);
  const auto setting = GetParam().setting;
  const Bytes with = joined(compress(*compressor, raw_, setting, 8'192, before_));
  const Bytes without = joined(compress(*compressor, raw_, setting, 8'192));
  EXPECT_TRUE(back(with, raw_.size(), before_) == raw_);
  EXPECT_TRUE(back(without, raw_.size(), {}) == raw_);
}

class ZstdPrefix : public Prefix {};

INSTANTIATE_TEST_SUITE_P(Levels, ZstdPrefix,
                         testing::Values(Rung{CodecId::zstd, -5}, Rung{CodecId::zstd, 3},
                                         Rung{CodecId::zstd, 13}, Rung{CodecId::zstd, 19}),
                         [](const auto& rung) { return test_name(rung.param); });

TEST_P(ZstdPrefix, WhatRepeatsThePrefixTakesNoRoom) {
  // Goal: the prefix is used: noise that it holds already costs next to nothing, near or far.
  const auto near = std::span(before_).last(100 * kKiB);
  EXPECT_LT(stored(near, before_).size(), near.size() / 4);
  if (GetParam().setting < 3) return;  // a fast level has forgotten the far one
  const auto far = std::span(before_).first(100 * kKiB);
  EXPECT_LT(stored(far, before_).size(), far.size() / 4);
}

TEST_P(ZstdPrefix, MissingOrShortenedPrefixIsCorrupt) {
  // Goal: a block that refers to before the prefix's start is refused, and nothing is read there.
  const Bytes repeated(before_.begin(), before_.begin() + 100'000);
  const Bytes bytes = stored(repeated, std::span(before_).first(100'000));
  for (const std::size_t kept : {std::size_t{0}, std::size_t{10}, std::size_t{50'000}}) {
    const auto prefix = std::span(before_).first(100'000).last(kept);
    try {
      static_cast<void>(back(bytes, repeated.size(), prefix));
      ADD_FAILURE() << "accepted with " << kept << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt);
    }
  }
}

TEST_P(ZstdPrefix, OtherPrefixOfTheSameLengthIsLeftToTheChecksum) {
  // Goal: zstd does not notice other bytes in the prefix; what comes out differs, so that the
  // block's own checksum, over the raw bytes, does.
  const Bytes other = make_data(Kind::random, before_.size(), 77);
  const Bytes bytes = stored(raw_, before_);
  try {
    EXPECT_FALSE(back(bytes, raw_.size(), other) == raw_);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
  }
}

}  // namespace
}  // namespace adoc::test
