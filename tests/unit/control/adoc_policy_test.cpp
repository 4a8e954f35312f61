#include "control/adoc_policy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace adoc {
namespace {

/// One call of the law: the FIFO around a block, and the level that Jeannot 2002, Fig. 2 gives for
/// the next one, worked out by hand.
struct Step {
  std::size_t before = 0;
  std::size_t after = 0;
  int next = 0;
};

Choice next(Policy& policy) { return policy.choose({}, {}, 204'800); }

Choice next_after(Policy& policy, const BlockResult& result) {
  policy.learn({}, result);
  return next(policy);
}

void expect_levels(Policy& policy, const std::vector<Step>& steps) {
  int level = next(policy).level;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    level =
        next_after(policy, {.level = level, .fifo_before = step.before, .fifo_after = step.after})
            .level;
    EXPECT_EQ(level, step.next) << "step " << i;
  }
}

AdocPolicy paper() { return AdocPolicy({.range = {.min = 0, .max = 9}}); }

Choice choice_after(int level, std::size_t before, std::size_t after) {
  AdocPolicy policy = paper();
  return next_after(policy, {.level = level, .fifo_before = before, .fifo_after = after});
}

int next_level(int level, std::size_t before, std::size_t after) {
  return choice_after(level, before, after).level;
}

TEST(AdocPolicyTest, ItBeginsWithoutCompression) {
  // Goal: section 3.4, "at the beginning we set the level to 0".
  AdocPolicy policy = paper();
  EXPECT_EQ(next(policy).level, 0);
}

TEST(AdocPolicyTest, AShrinkingFifoHalvesTheLevelWithoutRemainder) {
  // Goal: line 2 of Fig. 2 in integers, however little it shrank and however full it is.
  const std::vector<int> halves{0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
  for (int level = 0; level <= 9; ++level) {
    const int half = halves[static_cast<std::size_t>(level)];
    EXPECT_EQ(next_level(level, 500, 499), half);
    EXPECT_EQ(next_level(level, 500, 0), half);
    EXPECT_EQ(next_level(level, 5, 4), half);
  }
}

TEST(AdocPolicyTest, AGrowingFifoRaisesTheLevelByOneOnlyAboveTenPackets) {
  // Goal: lines 3 and 4: fifo_size > 10, so exactly 10 is not enough, and growth by 1,000 packets
  // is worth no more than growth by one.
  for (int level = 0; level < 9; ++level) {
    EXPECT_EQ(next_level(level, 0, 9), level);
    EXPECT_EQ(next_level(level, 9, 10), level);
    EXPECT_EQ(next_level(level, 10, 11), level + 1);
    EXPECT_EQ(next_level(level, 0, 11), level + 1);
    EXPECT_EQ(next_level(level, 0, 1'000), level + 1);
  }
}

TEST(AdocPolicyTest, AFifoThatStaysKeepsTheLevel) {
  // Goal: D = 0 is in neither branch, whether the FIFO is empty, at the threshold or full.
  for (int level = 0; level <= 9; ++level)
    for (const std::size_t packets : {0UL, 10UL, 11UL, 1024UL})
      EXPECT_EQ(next_level(level, packets, packets), level);
}

TEST(AdocPolicyTest, TheTopLevelStays) {
  // Goal: "level < 9" in line 3.
  EXPECT_EQ(next_level(9, 100, 200), 9);
}

TEST(AdocPolicyTest, ASlowLinkIsClimbedAndAFasterOneIsFollowedAtOnce) {
  // Goal: a whole run: growth below the threshold, slow start to the top, halving, a stop in
  // between, and up again.
  AdocPolicy policy = paper();
  expect_levels(policy,
                {{0, 1, 0},   {1, 2, 0},   {2, 9, 0},    {9, 10, 0},   {10, 11, 1}, {11, 20, 2},
                 {20, 30, 3}, {30, 30, 3}, {30, 40, 4},  {40, 50, 5},  {50, 60, 6}, {60, 70, 7},
                 {70, 80, 8}, {80, 90, 9}, {90, 100, 9}, {100, 99, 4}, {99, 99, 4}, {99, 60, 2},
                 {60, 61, 3}, {61, 12, 1}, {12, 5, 0},   {5, 4, 0},    {4, 10, 0},  {10, 12, 1},
                 {12, 13, 2}, {13, 8, 1},  {8, 9, 1},    {9, 10, 1},   {10, 11, 2}, {11, 0, 1}});
}

TEST(AdocPolicyTest, ARangeCutsOffWhatLiesOutside) {
  // Goal: --min-level and --max-level bound both branches and the start.
  AdocPolicy policy({.range = {.min = 3, .max = 5}});
  EXPECT_EQ(next(policy).level, 3);
  expect_levels(policy,
                {{0, 11, 4}, {11, 12, 5}, {12, 13, 5}, {13, 12, 3}, {12, 11, 3}, {11, 12, 4}});
}

TEST(AdocPolicyTest, EveryStepGivesItsReason) {
  // Goal: a trace can explain each change; a reason is one column of it.
  EXPECT_EQ(choice_after(4, 20, 19).reason, "fifo shrank");
  EXPECT_EQ(choice_after(4, 20, 20).reason, "fifo steady");
  EXPECT_EQ(choice_after(4, 9, 10).reason, "fifo short");
  EXPECT_EQ(choice_after(4, 20, 21).reason, "fifo grew");
  EXPECT_EQ(choice_after(9, 20, 21).reason, "top level");
}

TEST(AdocPolicyTest, LevelZeroReadsAPacketAndAnyOtherLevelABlock) {
  // Goal: Fig. 1, lines 3 to 14, with the paper's sizes; at level 0 the stage gives way first.
  AdocPolicy policy = paper();
  EXPECT_EQ(policy.plan({}).block_bytes, 8'192U);
  EXPECT_TRUE(policy.plan({}).paper_yield);
  policy.learn({}, {.level = 0, .fifo_before = 10, .fifo_after = 11});
  EXPECT_EQ(policy.plan({}).block_bytes, 204'800U);
  EXPECT_FALSE(policy.plan({}).paper_yield);
  policy.learn({}, {.level = 1, .fifo_before = 11, .fifo_after = 2});
  EXPECT_EQ(policy.plan({}).block_bytes, 8'192U);
}

}  // namespace
}  // namespace adoc
