#include "pipeline/filter_choice.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

constexpr SampleStats kFive{.entropy_bits = 5};
constexpr SampleStats kAboutFive{.entropy_bits = 5.2};
constexpr SampleStats kSeven{.entropy_bits = 7};
constexpr ByteFilter kShuffle{.kind = FilterKind::byte_shuffle, .item_bytes = 4};
constexpr ByteFilter kDelta{.kind = FilterKind::byte_delta, .item_bytes = 4};
constexpr ByteFilter kBits{.kind = FilterKind::bit_shuffle, .item_bytes = 4};

/// Where this filter stores least, and none where that is none.
FilterCosts costs_of(const ByteFilter& best) {
  FilterCosts costs{.item_bytes = 4};
  costs.of(best.kind).stored_bytes = 0.5;
  return costs;
}

std::optional<ByteFilter> tried(FilterChoice& choice, const ByteFilter& likely,
                                const FilterTrial& trial, std::size_t bytes) {
  const auto costs = choice.tried(likely, trial, bytes);
  if (!costs) return std::nullopt;
  return costs->cheapest({});
}

TEST(FilterChoiceTest, ATrialHoldsForAWhileAndForWhatLooksTheSame) {
  // Goal: of long blocks, whose wrong filter costs much, each is tried.
  FilterChoice choice;
  const FilterTrial trial = filter_trial(4, {CodecId::zstd, 1}, 1 << 20);
  const auto held = [&](std::size_t bytes) {
    EXPECT_FALSE(tried(choice, kShuffle, trial, bytes));
    choice.learn(kShuffle, trial, costs_of(kBits), bytes);
    choice.learn(kDelta, trial, costs_of({}), bytes);
    std::size_t blocks = 1;
    while (tried(choice, kShuffle, trial, bytes) == kBits) ++blocks;
    return blocks;
  };
  EXPECT_EQ(held(4 << 10), 16U) << "looks are 256 KiB apart";
  EXPECT_EQ(tried(choice, kDelta, trial, 4 << 10), ByteFilter{});
  EXPECT_EQ(held(256 << 10), 16U);
  EXPECT_EQ(held(1 << 20), 4U);
  EXPECT_EQ(held(4 << 20), 1U);
  EXPECT_EQ(held(8 << 20), 1U);
}

TEST(FilterChoiceTest, ATrialHoldsForBlocksAsLongAndForCodecsAlike) {
  // Goal: what short blocks at the first levels were best with does not stay when others follow.
  FilterChoice choice;
  const FilterTrial brief = filter_trial(4, {CodecId::zstd, 1}, 32 << 10);
  const FilterTrial longer = filter_trial(4, {CodecId::zstd, 3}, 4 << 20);
  const FilterTrial quick = filter_trial(4, {CodecId::lz4, -7}, 4 << 20);
  constexpr std::size_t kBytes = 32 << 10;
  choice.learn(kShuffle, brief, costs_of(kBits), kBytes);
  EXPECT_FALSE(tried(choice, kShuffle, longer, kBytes));
  EXPECT_FALSE(tried(choice, kShuffle, quick, kBytes));
  choice.learn(kShuffle, longer, costs_of(kShuffle), kBytes);
  choice.learn(kShuffle, quick, costs_of(kDelta), kBytes);
  EXPECT_EQ(tried(choice, kShuffle, brief, kBytes), kBits);
  EXPECT_EQ(tried(choice, kShuffle, longer, kBytes), kShuffle);
  EXPECT_EQ(tried(choice, kShuffle, quick, kBytes), kDelta);
}

TEST(FilterChoiceTest, WhatWasFoundHoldsForSoManyBytes) {
  // Goal: of numbers a block in each 256 KiB is looked at, be they short or long, and each where
  // another kind of data begins.
  FilterChoice choice;
  const auto blocks_until_looked_at = [&](const SampleStats& stats, std::size_t bytes) {
    std::size_t blocks = 0;
    for (; const auto known = choice.known(stats, bytes); ++blocks) EXPECT_EQ(*known, kShuffle);
    choice.decide(kShuffle);
    return blocks;
  };
  EXPECT_EQ(blocks_until_looked_at(kFive, 1), 0U);
  EXPECT_EQ(blocks_until_looked_at(kAboutFive, 64 << 10), 4U);
  EXPECT_EQ(blocks_until_looked_at(kFive, 256 << 10), 1U);
  EXPECT_EQ(blocks_until_looked_at(kFive, 200 << 10), 1U);
  EXPECT_EQ(blocks_until_looked_at(kFive, 1 << 20), 0U);
  EXPECT_EQ(blocks_until_looked_at(kSeven, 1), 0U);
}

TEST(FilterChoiceTest, WhereNoFilterHelpsFewBlocksAreLookedAt) {
  // Goal: pauses get longer; data of another entropy are looked at at once, and after a block that
  // a filter helped the pauses begin anew.
  FilterChoice choice;
  const auto blocks_until_looked_at = [&](const SampleStats& stats) {
    std::size_t blocks = 0;
    for (; const auto known = choice.known(stats, 1 << 20); ++blocks)
      EXPECT_EQ(*known, ByteFilter{});
    return blocks;
  };
  EXPECT_EQ(blocks_until_looked_at(kFive), 0U);
  for (const std::size_t wanted : {1U, 2U, 4U, 8U, 16U, 32U, 32U}) {
    choice.decide({});
    EXPECT_EQ(blocks_until_looked_at(kAboutFive), wanted);
  }
  choice.decide({});
  EXPECT_EQ(blocks_until_looked_at(kSeven), 0U);
  choice.decide(kShuffle);
  EXPECT_EQ(blocks_until_looked_at(kSeven), 0U);
  choice.decide({});
  EXPECT_EQ(blocks_until_looked_at(kSeven), 1U);
}

}  // namespace
}  // namespace adoc
