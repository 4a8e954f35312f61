#include "control/contention.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

void follow(Contention& contention, int blocks, double wall, double processor) {
  for (int i = 1; i <= blocks; ++i)
    contention.follow(i * wall, {.compress_seconds = wall, .processor_seconds = processor});
}

TEST(ContentionTest, WhoHasAProcessorAllTheTimeHasNone) {
  Contention contention;
  follow(contention, 100, 1e-3, 1e-3);
  EXPECT_DOUBLE_EQ(contention.factor(), 1);
}

TEST(ContentionTest, BlocksTakeLongerByTheClockByTheFactor) {
  Contention contention;
  follow(contention, 1000, 0.8e-3, 0.4e-3);
  EXPECT_NEAR(contention.factor(), 2, 0.05);
}

TEST(ContentionTest, AFewBlocksWithAPauseTellOfAllBlocks) {
  // Goal: under a quota of a quarter of a processor all threads stand still for 15 of each 20 ms,
  // and four of five blocks are done as fast as ever.
  Contention contention;
  double seconds = 0;
  for (int block = 0; block < 100; ++block) {
    const double wall = block % 5 == 4 ? 16e-3 : 1e-3;
    contention.follow(seconds += wall, {.compress_seconds = wall, .processor_seconds = 1e-3});
  }
  EXPECT_NEAR(contention.factor(), 4, 0.5);
}

TEST(ContentionTest, WhatAnEarlierTransferEndedWithIsThoughtUntilBlocksTell) {
  Contention contention(4);
  EXPECT_DOUBLE_EQ(contention.factor(), 4);
  follow(contention, 1, 0.1e-3, 0.1e-3);
  EXPECT_GT(contention.factor(), 3.5) << "a short block tells little";
  follow(contention, 200, 1e-3, 1e-3);
  EXPECT_LT(contention.factor(), 1.2);
}

}  // namespace
}  // namespace adoc
