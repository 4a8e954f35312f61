#include "control/auto/level_prior.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace adoc {
namespace {

TEST(LevelPriorTest, EachLadderHasOneOfItsLevels) {
  // Goal: a covariance that can be one, and levels that are thought slower and denser upwards.
  for (const char* name : {"auto", "zlib", "zstd", "lz4"}) {
    const Ladder ladder = Ladder::named(name);
    const LevelPrior prior = level_prior(ladder);
    const auto levels = static_cast<std::size_t>(ladder.last());
    const auto climbed = static_cast<std::size_t>(ladder.top());
    ASSERT_EQ(prior.levels.size(), 2 * levels + 2) << name;
    ASSERT_EQ(prior.decompress_seconds.size(), levels + 1) << name;
    for (std::size_t i = 0; i < prior.levels.size(); ++i)
      EXPECT_GT(prior.levels.variance(i), 0) << name << ' ' << i;
    for (std::size_t level = 1; level < climbed; ++level) {
      EXPECT_GT(prior.levels.mean(level), prior.levels.mean(level - 1) - 0.3) << name << level;
      EXPECT_GT(prior.levels.mean(levels + level), prior.levels.mean(levels + level - 1) - 0.3)
          << name << level;
    }
    EXPECT_GT(prior.levels.mean(levels - 1), prior.levels.mean(0)) << name;
    EXPECT_GT(prior.levels.mean(2 * levels - 1), prior.levels.mean(levels)) << name;
  }
}

TEST(LevelPriorTest, WhatOneVariableTellsLeavesAllOthersKnownNoLess) {
  // Goal: observing each variable in turn never makes a variance negative.
  LevelPrior prior = level_prior(Ladder::named("auto"));
  for (std::size_t i = 0; i < prior.levels.size(); ++i) {
    prior.levels.observe({.first = i}, prior.levels.mean(i) + 1, 1e-6);
    for (std::size_t k = 0; k < prior.levels.size(); ++k)
      EXPECT_GT(prior.levels.variance(k), -1e-9) << i << ' ' << k;
  }
}

}  // namespace
}  // namespace adoc
