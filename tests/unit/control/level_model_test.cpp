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
  void transfer(int level, double megabytes_per_second, double ratio) {
    LevelModel model(kAutoLadder);
    model.start_from(experience_);
    model.learn({.kind = kKind,
                 .level = level,
                 .bytes = kBytes,
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

}  // namespace
}  // namespace adoc
