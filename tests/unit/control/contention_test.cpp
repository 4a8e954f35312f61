#include "control/contention.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

BlockResult block(double wall, double processor) {
  return {.level = 7,
          .raw_bytes = 256 << 10,
          .wire_bytes = 64 << 10,
          .compress_seconds = wall,
          .processor_seconds = processor};
}

Contention after(int blocks, double wall, double processor) {
  Contention contention;
  for (int i = 1; i <= blocks; ++i) contention.follow(i * wall, block(wall, processor));
  return contention;
}

TEST(ContentionTest, WhoHasAProcessorAllTheTimeHasNone) {
  // Goal: on a machine of its own a block costs what the clock says, and nothing is added to it.
  EXPECT_DOUBLE_EQ(Contention::own_seconds(block(1e-3, 1e-3)), 1e-3);
  const Contention contention = after(100, 1e-3, 1e-3);
  EXPECT_DOUBLE_EQ(contention.factor(), 1);
  EXPECT_FALSE(contention.paused());
}

TEST(ContentionTest, ABlockThatIsInterruptedMoreOftenDoesNotCostAllOfThat) {
  // Goal: zstd 1 takes a processor a quarter longer than lz4 and by the clock more than twice as
  // long, since others have the processor meanwhile: that is less than the choice between the two
  // hangs on, but some of it is for the block's own bytes.
  const double lz4 = Contention::own_seconds(block(0.35e-3, 0.25e-3));
  const double zstd = Contention::own_seconds(block(0.8e-3, 0.31e-3));
  EXPECT_LT(zstd / lz4, 0.8 / 0.35);
  EXPECT_GT(zstd / lz4, 0.31 / 0.25);
}

TEST(ContentionTest, WhatIsLearnedAndTheFactorGiveTheTimeByTheClock) {
  // Goal: a block is ready when it is said to be, whatever part of its time was learned.
  const Contention contention = after(1000, 0.8e-3, 0.4e-3);
  EXPECT_NEAR(contention.factor() * Contention::own_seconds(block(0.8e-3, 0.4e-3)), 0.8e-3,
              0.02e-3);
  EXPECT_FALSE(contention.paused());
}

TEST(ContentionTest, PausesAreNoPartOfWhatALevelCosts) {
  // Goal: under a quota of a quarter of a processor all threads stand still for 15 of each 20 ms.
  // A block that such a pause falls into is not thought to cost that, and that there are fewer
  // processors than threads is known.
  EXPECT_LT(Contention::own_seconds(block(20e-3, 1e-3)), 4e-3);
  const Contention contention = after(100, 4e-3, 1e-3);
  EXPECT_TRUE(contention.paused());
  EXPECT_GT(contention.factor(), 1.1);
}

}  // namespace
}  // namespace adoc
