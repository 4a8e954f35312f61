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

TEST(FilterChoiceTest, ATrialHoldsForAWhileAndForWhatLooksTheSame) {
  FilterChoice choice;
  EXPECT_FALSE(choice.tried(kShuffle));
  choice.learn(kShuffle, kBits);
  choice.learn(kDelta, {});
  std::size_t held = 0;
  while (choice.tried(kShuffle) == kBits) ++held;
  EXPECT_EQ(held, 16U);
  EXPECT_FALSE(choice.tried(kShuffle));
  EXPECT_EQ(choice.tried(kDelta), ByteFilter{});
}

TEST(FilterChoiceTest, WhereNoFilterHelpsFewBlocksAreLookedAt) {
  // Goal: pauses get longer; data of another entropy are looked at at once, and where a filter
  // helps all are.
  FilterChoice choice;
  const auto blocks_until_looked_at = [&](const SampleStats& stats) {
    std::size_t blocks = 0;
    while (!choice.looks_at(stats)) ++blocks;
    return blocks;
  };
  EXPECT_EQ(blocks_until_looked_at(kFive), 0U);
  for (const std::size_t wanted : {1U, 2U, 4U, 8U, 16U, 32U, 32U}) {
    choice.decide(false);
    EXPECT_EQ(blocks_until_looked_at(kAboutFive), wanted);
  }
  choice.decide(false);
  EXPECT_EQ(blocks_until_looked_at(kSeven), 0U);
  choice.decide(true);
  EXPECT_EQ(blocks_until_looked_at(kSeven), 0U);
  choice.decide(false);
  EXPECT_EQ(blocks_until_looked_at(kSeven), 1U);
}

}  // namespace
}  // namespace adoc
