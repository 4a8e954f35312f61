#include "control/level_model.hpp"

#include <gtest/gtest.h>

#include "unit/control/auto_ladder.hpp"

namespace adoc {
namespace {

using testkit::kAutoLadder;
constexpr std::size_t kKind = 7;
constexpr double kBytes = 4e6;

/// Learns from transfers of one block each.
class Learner {
 public:
  void transfer(int level, double megabytes_per_second, double ratio, double bytes = kBytes) {
    LevelModel model(kAutoLadder);
    model.start_from(experience_);
    model.learn({.kind = kKind,
                 .level = level,
                 .bytes = bytes,
                 .seconds_per_byte = 1e-6 / megabytes_per_second,
                 .wire_per_byte = 1 / ratio});
    experience_ = {};
    model.tell(experience_);
  }
  [[nodiscard]] Prediction next(int level) const {
    LevelModel model(kAutoLadder);
    model.start_from(experience_);
    return model.of(kKind)[static_cast<std::size_t>(level)];
  }
  [[nodiscard]] double ratio(int level) const { return 1 / next(level).wire_per_byte(kBytes); }

 private:
  Experience experience_{};
};

TEST(LevelModelTest, WhatADenseLevelDidIsKnownInTheNextTransfer) {
  // Goal: one that some data need is used again, though a short file shows no more of it than one
  // block, and though where it is not known how long it takes it might be late.
  Learner learner;
  for (int i = 0; i < 3; ++i) learner.transfer(16, 8.5, 2.25);
  for (int i = 0; i < 2; ++i) learner.transfer(17, 5.2, 3.13);
  EXPECT_GT(learner.ratio(17), 2.8);
  EXPECT_LT(learner.next(17).speed_doubt, 0.3);
}

TEST(LevelModelTest, WhatOneLevelDoesBetterIsNotExpectedOfAllNorForgottenForOthers) {
  // Goal: numbers that a single level shrinks best are sent with it from then on, and not with one
  // neighbour after another that might, too. (A field of an FFT, as zstd 16, 13 and 8 shrink it.)
  Learner learner;
  for (int i = 0; i < 2; ++i) learner.transfer(17, 2.3, 1.263);
  learner.transfer(16, 2, 1.16);
  learner.transfer(14, 30, 1.155);
  EXPECT_GT(learner.ratio(17), learner.ratio(16));
  EXPECT_GT(learner.ratio(17), learner.ratio(14));
}

TEST(LevelModelTest, WhatWasSeenOfALevelIsNotTakenForWhatItsNeighboursDo) {
  // Goal: the same numbers, sent at the densest level, while each of the others is tried on them.
  LevelModel model(kAutoLadder);
  const auto ratio = [&](std::size_t level) {
    return 1 / model.of(kKind)[level].wire_per_byte(kBytes);
  };
  const auto learn = [&](int level, double shrinks, bool again) {
    model.learn({.kind = kKind,
                 .level = level,
                 .bytes = kBytes,
                 .seconds_per_byte = 0.2e-6,
                 .wire_per_byte = 1 / shrinks,
                 .again = again});
  };
  for (int i = 0; i < 4; ++i) learn(20, 1.223, false);
  learn(17, 1.263, true);
  for (const int level : {14, 15, 16, 18, 19}) learn(level, 1.16, true);
  EXPECT_GT(ratio(17), 1.22);
  EXPECT_GT(ratio(17), ratio(20));
  EXPECT_LT(ratio(16), 1.19);
}

TEST(LevelModelTest, ShortBlocksTellLittleOfWhatALevelDoesToLongOnes) {
  // Goal: a level with which a transfer began is as good as untried for those after it.
  Learner shortly;
  shortly.transfer(17, 5, 1.1, 128 << 10);
  for (int i = 0; i < 2; ++i) shortly.transfer(14, 30, 1.155);
  EXPECT_GT(shortly.next(17).untried, 0.8);
  Learner whole;
  whole.transfer(17, 5, 1.1);
  for (int i = 0; i < 2; ++i) whole.transfer(14, 30, 1.155);
  EXPECT_LT(whole.next(17).untried, 0.5);
}

}  // namespace
}  // namespace adoc
