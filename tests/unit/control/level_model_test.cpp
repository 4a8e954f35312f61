#include "control/level_model.hpp"

#include <gtest/gtest.h>

#include "unit/control/auto_ladder.hpp"

namespace adoc {
namespace {

using testkit::kAutoLadder;
constexpr std::size_t kKind = 7;
/// Numbers, whose bytes are nearly as frequent as those of noise.
constexpr std::size_t kNumbers = 14;
constexpr double kBytes = 4e6;

/// Learns from transfers of one block each.
class Learner {
 public:
  explicit Learner(std::size_t kind = kKind) : kind_(kind) {}
  void transfer(int level, double megabytes_per_second, double ratio, double bytes = kBytes) {
    LevelModel model(kAutoLadder);
    model.start_from(experience_);
    model.learn({.kind = kind_,
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
    return model.of(kind_)[static_cast<std::size_t>(level)];
  }
  [[nodiscard]] double ratio(int level) const { return 1 / next(level).wire_per_byte(kBytes); }

 private:
  std::size_t kind_;
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

TEST(LevelModelTest, LevelsThatPassOverLongRepetitionsAreAsFastThere) {
  // Goal: of data that vanish it is not thought from what lz4 takes for them that zstd's fast
  // levels, which shrink them to less, take several times as long. Dense ones index every byte.
  Learner learner;
  for (int i = 0; i < 2; ++i) learner.transfer(1, 7'000, 190);
  EXPECT_LT(learner.next(7).seconds_per_byte, 2 * learner.next(1).seconds_per_byte);
  EXPECT_GT(learner.next(13).seconds_per_byte, 4 * learner.next(1).seconds_per_byte);
  // Goal: nor is it of data that shrink as usual.
  Learner usual;
  for (int i = 0; i < 2; ++i) usual.transfer(1, 3'500, 2);
  EXPECT_GT(usual.next(7).seconds_per_byte, 4 * usual.next(1).seconds_per_byte);
}

TEST(LevelModelTest, WhatHasNearlyNoEntropyIsTried) {
  // Goal: zeros that go raw, because nothing is known of them and the link is fast, do not stay so.
  LevelModel zeros(kAutoLadder);
  for (int i = 0; i < 100; ++i)
    zeros.learn({.kind = 0, .bytes = 262'144, .seconds_per_byte = 0.1e-9, .wire_per_byte = 1});
  EXPECT_LT(zeros.of(0)[1].seconds_per_byte, 0.2e-9);
  EXPECT_GT(zeros.of(kKind)[1].seconds_per_byte, 0.2e-9);
  // Goal: if they turn out to be none, that is known.
  zeros.learn(
      {.kind = 0, .level = 1, .bytes = 262'144, .seconds_per_byte = 0.6e-9, .wire_per_byte = 0.5});
  EXPECT_GT(zeros.of(0)[1].seconds_per_byte, 0.4e-9);
}

TEST(LevelModelTest, WhatOneLevelDoesBetterIsNotExpectedOfAllNorForgottenForOthers) {
  // Goal: numbers that a single level shrinks best are sent with it from then on, and not with one
  // neighbour after another that might, too. (A field of an FFT, as zstd 16, 13 and 8 shrink it.)
  Learner learner(kNumbers);
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
    return 1 / model.of(kNumbers)[level].wire_per_byte(kBytes);
  };
  const auto learn = [&](int level, double shrinks, bool again) {
    model.learn({.kind = kNumbers,
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

TEST(LevelModelTest, OfOtherDataThatLookTheSameIsNothingKnown) {
  // Goal: of one transfer it is known that every level shrinks the data by 1.95; the next is of
  // others, which only dense levels shrink, and by far less. Not one level after another is
  // thought to do it still, until the whole file is sent with the lightest.
  LevelModel model(kAutoLadder);
  const auto learn = [&](int level, double shrinks, double bytes) {
    model.learn({.kind = kNumbers,
                 .level = level,
                 .bytes = bytes,
                 .seconds_per_byte = 2e-9,
                 .wire_per_byte = 1 / shrinks});
  };
  const auto ratio = [&](std::size_t level) {
    return 1 / model.of(kNumbers)[level].wire_per_byte(512 << 10);
  };
  for (int transfer = 0; transfer < 2; ++transfer)
    for (int level = 1; level <= 20; ++level) learn(level, 1.95, kBytes);
  EXPECT_GT(ratio(6), 1.8);
  learn(7, 1.125, 512 << 10);
  EXPECT_LT(ratio(6), 1.25);
  EXPECT_LT(ratio(1), 1.25);
  EXPECT_GT(ratio(14), ratio(6));
}

TEST(LevelModelTest, TheShortEndOfWhatVanishesIsNotOtherData) {
  // Goal: a pattern of 256 bytes, as lz4 and zstd shrink it: each block costs its first bytes, and
  // next to nothing after them, so its last one, which is short, shrinks by far less. What was seen
  // of it at another level is known after that as it was before.
  LevelModel model(kAutoLadder);
  const auto learn = [&](int level, double bytes, double wire) {
    model.learn({.kind = 0,
                 .level = level,
                 .bytes = bytes,
                 .seconds_per_byte = 0.1e-9,
                 .wire_per_byte = wire / bytes});
  };
  for (int block = 0; block < 10; ++block) {
    learn(1, 256 << 10, 1390);
    learn(5, 512 << 10, 370);
  }
  const auto doubt_before = model.of(0)[5].doubt;
  learn(1, 96'320, 714);
  EXPECT_LT(model.of(0)[5].doubt, 1.1 * doubt_before);
}

TEST(LevelModelTest, LevelsThatOnlyFindWhatRepeatsTellNothingOfThoseThatCodeBytes) {
  // Goal: numbers in which nothing repeats, so that lz4 and zstd's fast levels leave them as they
  // are, are not sent raw over a slow link for that: their bytes are not all as frequent.
  LevelModel model(kAutoLadder);
  for (int i = 0; i < 20; ++i)
    for (const int level : {1, 3, 4, 6})
      model.learn({.kind = kNumbers,
                   .level = level,
                   .bytes = 256 << 10,
                   .seconds_per_byte = 1e-9,
                   .wire_per_byte = 1});
  const auto ratio = [&](std::size_t level) {
    return 1 / model.of(kNumbers)[level].wire_per_byte(256 << 10);
  };
  EXPECT_LT(ratio(5), 1.03);
  EXPECT_GT(ratio(9), 1.08);
  EXPECT_GT(ratio(17), 1.08);
}

}  // namespace
}  // namespace adoc
