#include "control/auto/data_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/auto/params.hpp"
#include "unit/control/auto_ladder.hpp"

namespace adoc {
namespace {

using testkit::kAutoLadder;

constexpr SampleStats kLetters{.entropy_bits = 5.0};
constexpr SampleStats kAnyBytes{.entropy_bits = 8.0, .random = true};

class DataModelTest : public testing::Test {
 protected:
  /// A block of this level that shrank to a part of it, at so many bytes a second.
  void learn(int level, double part, double speed, std::size_t raw = 1 << 20,
             const SampleStats& stats = kLetters) {
    model_.learn({.level = level,
                  .stats = stats,
                  .raw_bytes = raw,
                  .wire_bytes = static_cast<std::size_t>(part * static_cast<double>(raw)),
                  .processor_seconds = static_cast<double>(raw) / speed});
  }
  [[nodiscard]] Expected expected(int level, double raw = 1 << 20,
                                  const SampleStats& stats = kLetters) {
    return model_.expected(model_.class_of(stats), level, raw, false);
  }

  DataModel model_{kAutoLadder, level_prior(kAutoLadder)};
};

TEST_F(DataModelTest, BeforeAnythingIsSeenDenserLevelsAreSlowerAndShrinkMore) {
  Expected lighter = expected(1);
  for (int level = 2; level <= kAutoLadder.top(); ++level) {
    const Expected denser = expected(level);
    EXPECT_GT(denser.mean_work, lighter.mean_work * 0.8) << level;
    EXPECT_LT(denser.mean_wire, lighter.mean_wire * 1.05) << level;
    EXPECT_LT(denser.low_wire, denser.mean_wire) << level;
    lighter = denser;
  }
}

TEST_F(DataModelTest, WhatABlockShowsIsExpectedOfTheNext) {
  for (int i = 0; i < 8; ++i) learn(7, 0.3, 300e6);
  EXPECT_NEAR(expected(7).mean_wire / (1 << 20), 0.3, 0.02);
  EXPECT_NEAR((1 << 20) / expected(7).mean_work / 300e6, 1, 0.2);
}

TEST_F(DataModelTest, OneLevelTellsOfItsNeighbours) {
  // Goal: data that shrink much at one level do at others, which were never tried.
  const double before = expected(12).mean_wire;
  for (int i = 0; i < 4; ++i) learn(7, 0.05, 300e6);
  EXPECT_LT(expected(12).mean_wire, before / 2);
  EXPECT_LE(expected(12).mean_wire, expected(7).mean_wire * 1.01) << "no worse than a lighter one";
}

TEST_F(DataModelTest, LongBlocksAreExpectedToShrinkMoreWhereTheyDid) {
  for (int i = 0; i < 4; ++i) {
    learn(9, 0.33, 200e6, 32 << 10);
    learn(9, 0.15, 300e6, 512 << 10);
  }
  const auto part = [&](double raw) { return expected(9, raw).mean_wire / raw; };
  EXPECT_LT(part(2 << 20), 0.8 * part(128 << 10));
  EXPECT_LT(part(128 << 10), part(32 << 10));
}

TEST_F(DataModelTest, OneSlowBlockMovesLittleAndManyAreTheRule) {
  // Goal: one block that takes ten times as long, of four that do not, moves it by a fifth of that.
  for (int i = 0; i < 4; ++i) learn(7, 0.3, 300e6);
  const double before = expected(7).mean_work;
  learn(7, 0.3, 30e6);
  EXPECT_LT(expected(7).mean_work, 1.7 * before);
  for (int i = 0; i < 60; ++i) learn(7, 0.3, 30e6);
  EXPECT_GT(expected(7).mean_work, 4 * before) << "many are the rule";
}

TEST_F(DataModelTest, WhatTheFirstUseOfACompressorTakesSaysLittleOfSpeed) {
  // Goal: first blocks are short, and 50 us more than expected are half of what one takes.
  const double before = expected(7).mean_work;
  const double raw = 32 << 10;
  const double usual = before * raw / (1 << 20);
  learn(7, 0.3, raw / (usual + params::kBlockSeconds + 50e-6), 32 << 10);
  EXPECT_LT(expected(7).mean_work, 1.4 * before);
  EXPECT_GT(expected(7).mean_work, before);
}

TEST_F(DataModelTest, OneBlockThatVanishesSaysLittleOfSpeed) {
  // Goal: a dense level that is tried on one repeated string is not thought fast on other data.
  for (int i = 0; i < 4; ++i) learn(7, 0.3, 300e6);
  const int dense = kAutoLadder.top();
  const double before = expected(dense).mean_work;
  learn(dense, 0.0014, 256e6, 32 << 10);
  EXPECT_GT(expected(dense).mean_work, before / 2);
  for (int i = 0; i < 60; ++i) learn(dense, 0.0014, 256e6);
  EXPECT_LT(expected(dense).mean_work, before / 4) << "many are the rule";
}

TEST_F(DataModelTest, OtherDataAreAnotherClass) {
  for (int i = 0; i < 4; ++i) learn(7, 0.3, 300e6);
  EXPECT_GT(expected(7, 1 << 20, kAnyBytes).mean_wire, 0.9 * (1 << 20));
  EXPECT_NE(model_.class_of(kLetters), model_.class_of(kAnyBytes));
  EXPECT_EQ(model_.class_of(kLetters), model_.class_of({.entropy_bits = 5.4}));
}

TEST_F(DataModelTest, WhatItTellsIsWhereTheNextBegins) {
  for (int i = 0; i < 8; ++i) learn(9, 0.1, 400e6);
  learn(0, 1, 1e9, 1 << 20, kAnyBytes);
  const auto told = model_.classes(model_.class_of(kLetters));
  ASSERT_FALSE(told.empty());
  EXPECT_NEAR(told[0].entropy_bits, kLetters.entropy_bits, 0.01);
  ASSERT_EQ(told[0].levels.size(), 1U);
  EXPECT_EQ(told[0].levels[0].level, 9);
  DataModel next(kAutoLadder, level_prior(kAutoLadder), told);
  EXPECT_TRUE(next.knows_any());
  const Expected its = next.expected(next.class_of(kLetters), 9, 1 << 20, false);
  EXPECT_NEAR(its.mean_wire / (1 << 20), 0.1, 0.03);
}

TEST_F(DataModelTest, WhatIsCopiedFromFarBeforeIsNoStrengthOfALevel) {
  // Goal: blocks of random bytes of which half came before make blocks of every level half as long
  // where they are searched, and none where they are not.
  const auto learn_matched = [&](int level) {
    model_.learn({.level = level,
                  .stats = kAnyBytes,
                  .raw_bytes = 2 << 20,
                  .wire_bytes = 1 << 20,
                  .matched_bytes = 1 << 20,
                  .processor_seconds = 5e-3});
  };
  const std::size_t kind = model_.class_of(kAnyBytes);
  for (const int level : {9, 0}) {
    for (int i = 0; i < 20; ++i) learn_matched(level);
    for (const int its : {0, 4, 9, 15}) {
      EXPECT_NEAR(model_.expected(kind, its, 1 << 20, true).mean_wire / (1 << 20), 0.5, 0.1) << its;
      EXPECT_NEAR(model_.expected(kind, its, 1 << 20, false).mean_wire / (1 << 20), 1, 0.1) << its;
    }
  }
  const double not_searched = model_.expected(kind, 0, 1 << 20, false).mean_work;
  EXPECT_GT(model_.expected(kind, 0, 1 << 20, true).mean_work, not_searched + 1e-3);
}

TEST_F(DataModelTest, WhatItTellsAfterManyExceptionsIsNotFarFromWhatItThinks) {
  // Goal: where blocks that waited left less known than before any, the next transfer is not told
  // of levels that take hours.
  for (const int level : {3, 9, 15})
    for (int i = 0; i < 12; ++i) learn(level, 0.3, i % 3 == 0 ? 400e6 : 20e6);
  DataModel next(kAutoLadder, level_prior(kAutoLadder), model_.classes(model_.class_of(kLetters)));
  for (int level = 1; level <= kAutoLadder.top(); ++level) {
    const Expected before = expected(level);
    const Expected its = next.expected(next.class_of(kLetters), level, 1 << 20, false);
    EXPECT_NEAR(std::log(its.mean_work / before.mean_work), 0, std::log(4)) << level;
    EXPECT_NEAR(std::log(its.mean_wire / before.mean_wire), 0, std::log(2)) << level;
  }
}

TEST_F(DataModelTest, WhatIsHandedOnAndNeverSeenAgainGetsNoSurer) {
  // Goal: a path over which other data go has them remembered, not confirmed.
  learn(9, 0.1, 400e6);
  auto told = model_.classes(model_.class_of(kLetters));
  const double before = told[0].levels[0].strength.variance;
  for (int i = 0; i < 20; ++i)
    told = DataModel(kAutoLadder, level_prior(kAutoLadder), told).classes(0);
  EXPECT_GT(told[0].length_loss.variance, 0.5 * params::kLengthLoss * params::kLengthLoss);
  EXPECT_GT(told[0].levels[0].strength.variance, before);
}

TEST_F(DataModelTest, NoFigureIsWithoutBounds) {
  // Goal: blocks of no time, no bytes, and that vanish give finite expectations.
  learn(7, 0, 1e15);
  learn(7, 1e-6, 1e15, 4'096);
  learn(7, 5, 1, 1 << 20);
  for (int level = 0; level <= kAutoLadder.last(); ++level) {
    const Expected its = expected(level);
    EXPECT_TRUE(std::isfinite(its.mean_work) && its.mean_work > 0) << level;
    EXPECT_TRUE(std::isfinite(its.mean_wire) && its.mean_wire > 0) << level;
  }
}

}  // namespace
}  // namespace adoc
