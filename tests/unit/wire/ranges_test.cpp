// Runs of bytes: joined, and what they leave out.

#include "wire/ranges.hpp"

#include <gtest/gtest.h>

#include <random>

namespace adoc {
namespace {

using Runs = std::vector<Extent>;

TEST(RangesTest, RunsThatTouchOrOverlapBecomeOne) {
  // Goal: whatever order they come in.
  EXPECT_EQ(merged({}), Runs{});
  EXPECT_EQ(merged({{10, 5}, {0, 10}}), (Runs{{0, 15}}));
  EXPECT_EQ(merged({{0, 20}, {5, 5}, {30, 1}}), (Runs{{0, 20}, {30, 1}}));
  EXPECT_EQ(merged({{7, 3}, {0, 2}, {1, 4}}), (Runs{{0, 5}, {7, 3}}));
}

TEST(RangesTest, WhatIsMissingIsAllTheRest) {
  // Goal: before, between and behind; nothing when all is there.
  EXPECT_EQ(missing_of({}, 10, 9), (Runs{{0, 10}}));
  EXPECT_EQ(missing_of({}, 0, 9), Runs{});
  EXPECT_EQ(missing_of({{0, 10}}, 10, 9), Runs{});
  EXPECT_EQ(missing_of({{2, 3}, {7, 1}}, 10, 9), (Runs{{0, 2}, {5, 2}, {8, 2}}));
  EXPECT_EQ(missing_of({{2, 30}}, 10, 9), (Runs{{0, 2}})) << "there is more than the file has";
}

TEST(RangesTest, TooManyRunsBecomeFewerAndLongerOnes) {
  // Goal: nothing that is missing is left out, however few runs there may be.
  EXPECT_EQ(missing_of({{1, 1}, {3, 1}, {5, 1}}, 10, 2), (Runs{{0, 1}, {2, 8}}));
  EXPECT_EQ(missing_of({{1, 1}, {3, 1}, {5, 1}}, 10, 1), (Runs{{0, 10}}));
}

TEST(RangesTest, AnyRunsAndWhatTheyLeaveOutAreTheWhole) {
  // Goal: byte for byte, for runs from a seed.
  std::mt19937 random(4711);
  for (int round = 0; round < 2'000; ++round) {
    Runs runs;
    std::vector<bool> there(100);
    for (unsigned count = random() % 8; count > 0; --count) {
      const Extent run{random() % 90, 1 + random() % 10};
      for (std::uint64_t i = 0; i < run.length; ++i) there[run.offset + i] = true;
      runs.push_back(run);
    }
    for (const Extent& run : missing_of(merged(runs), 100, 100))
      for (std::uint64_t i = 0; i < run.length; ++i) {
        EXPECT_FALSE(there[run.offset + i]) << "asked for though it is there";
        there[run.offset + i] = true;
      }
    EXPECT_EQ(std::count(there.begin(), there.end(), false), 0) << "round " << round;
  }
}

}  // namespace
}  // namespace adoc
