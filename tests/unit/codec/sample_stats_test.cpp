#include "codec/sample_stats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "unit/codec/codec_fixture.hpp"

namespace adoc::test {
namespace {

TEST(SampleStats, NothingHasNoEntropyAndIsNotRandom) {
  // Goal: an empty block gives the statistics of a default.
  EXPECT_EQ(sample_stats({}), SampleStats{});
}

TEST(SampleStats, OneByteRepeatedHasNoEntropy) {
  // Goal: zero bits for blocks of one value, of any length.
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5}, std::size_t{1'000'000}}) {
    const SampleStats stats = sample_stats(Bytes(bytes, std::byte{0x41}));
    EXPECT_NEAR(stats.entropy_bits, 0, 1e-9) << bytes;
    EXPECT_EQ(stats.random, bytes == 1) << bytes;
  }
}

TEST(SampleStats, EquallyFrequentBytesHaveTheLogarithmOfTheirNumber) {
  // Goal: the figure is the order-0 entropy in bits: n values as often as each other give log2(n).
  for (const unsigned values : {2U, 16U, 256U}) {
    Bytes block(4'096);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>(i % values);
    // In another order each time, so that nothing repeats.
    std::mt19937 random(values);
    for (auto begin = block.begin(); begin != block.end(); begin += values)
      std::shuffle(begin, begin + values, random);
    EXPECT_NEAR(sample_stats(block).entropy_bits, std::bit_width(values) - 1, 1e-9) << values;
  }
}

TEST(SampleStats, RandomBytesLookRandomInBlocksOfAnySize) {
  // Goal: what cannot shrink is told from what does, also where the sample is short.
  for (const std::size_t bytes : {std::size_t{600}, std::size_t{4'095}, std::size_t{4'097},
                                  std::size_t{204'800}, std::size_t{3'000'000}}) {
    EXPECT_TRUE(sample_stats(make_data(Kind::random, bytes, 1)).random) << bytes;
    EXPECT_FALSE(sample_stats(make_data(Kind::text, bytes, 1)).random) << bytes;
    EXPECT_FALSE(sample_stats(make_data(Kind::zeros, bytes, 1)).random) << bytes;
  }
}

TEST(SampleStats, WhatRepeatsIsNotRandomHoweverEvenItsBytesAre) {
  // Goal: a counter, and noise again after a distance, in blocks of any size.
  for (const std::size_t bytes :
       {std::size_t{1} << 16, std::size_t{204'800}, std::size_t{3'000'000}})
    for (const std::size_t period : {256U, 1'000U, 4'321U}) {
      const Bytes noise = make_data(Kind::random, period, 3);
      Bytes block(bytes);
      for (std::size_t i = 0; i < bytes; ++i) block[i] = noise[i % period];
      EXPECT_FALSE(sample_stats(block).random) << bytes << ' ' << period;
      for (std::size_t i = 0; i < bytes; ++i) block[i] = static_cast<std::byte>(i);
      EXPECT_LT(sample_stats(block).entropy_bits, 1) << bytes;
    }
}

TEST(SampleStats, SampleIsSpreadOverTheWholeBlock) {
  // Goal: noise in the last half of a block is seen, and so are zeros in it.
  Bytes block(1'000'000, std::byte{0});
  const Bytes noise = make_data(Kind::random, 500'000, 2);
  std::copy(noise.begin(), noise.end(), block.begin() + 500'000);
  const SampleStats stats = sample_stats(block);
  EXPECT_FALSE(stats.random);
  // Half of the bytes zero and half of them any: 1 bit for which, and 8 for half of them.
  EXPECT_NEAR(stats.entropy_bits, 5, 0.1);
}

TEST(SampleStats, WhatIsOnlyWherePagesBeginDoesNotStandForTheBlock) {
  // Goal: headers at multiples of a power of two count for as much as they are, in any block.
  for (const std::size_t page : {std::size_t{512}, std::size_t{4'096}, std::size_t{65'536}})
    for (const std::size_t bytes :
         {std::size_t{1} << 17, std::size_t{1} << 20, std::size_t{3} << 20}) {
      Bytes block = make_data(Kind::random, bytes, 5);
      for (std::size_t i = 0; i < bytes; i += page)
        std::fill_n(block.begin() + static_cast<std::ptrdiff_t>(i), page / 16, std::byte{0});
      EXPECT_GT(sample_stats(block).entropy_bits, 6.5) << page << ' ' << bytes;
    }
}

}  // namespace
}  // namespace adoc::test
