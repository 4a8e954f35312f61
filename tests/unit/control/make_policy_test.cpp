#include <gtest/gtest.h>

#include "control/policy.hpp"
#include "support/expect_error.hpp"

namespace adoc {
namespace {

using testkit::expect_error;

const Ladder kZlib = Ladder::named("zlib");
const Ladder kAuto = Ladder::named("auto");
constexpr std::size_t kBlock = 204'800;
constexpr SampleStats kText{.entropy_bits = 4.5};
constexpr SampleStats kNoise{.entropy_bits = 8, .random = true};

PipelineOptions law(std::optional<int> min, std::optional<int> max) {
  return {.policy = PolicyKind::adoc, .min_level = min, .max_level = max};
}

PipelineOptions fixed_at(std::optional<int> level) {
  return {.policy = PolicyKind::fixed, .level = level};
}

int level_after(Policy& policy, const BlockResult& result) {
  policy.learn({}, result);
  return policy.choose({}, kText, kBlock).level;
}

TEST(MakePolicyTest, FixedIsOneLevelWhateverTheFifoDoes) {
  // Goal: --level N.
  const auto policy = make_policy(fixed_at(7), kZlib, 1);
  EXPECT_EQ(policy->choose({}, kText, kBlock).level, 7);
  EXPECT_EQ(level_after(*policy, {.level = 7, .fifo_before = 0, .fifo_after = 1'000}), 7);
  EXPECT_EQ(level_after(*policy, {.level = 7, .fifo_before = 1'000, .fifo_after = 0}), 7);
}

TEST(MakePolicyTest, BlocksOfAFixedLevelHaveTheShapeOfItsRungOrTheSizeThatWasAskedFor) {
  // Goal: --block-size wins; else a dense rung gets the size that its ratio needs.
  EXPECT_EQ(make_policy(fixed_at(7), kAuto, 1)->plan({}).block_bytes,
            block_shape(kAuto[7]).block_bytes);
  EXPECT_EQ(make_policy(fixed_at(0), kAuto, 1)->plan({}).block_bytes, 524'288U);
  PipelineOptions asked = fixed_at(7);
  asked.block_bytes = 12'345;
  EXPECT_EQ(make_policy(asked, kAuto, 1)->plan({}).block_bytes, 12'345U);
}

TEST(MakePolicyTest, WithoutLimitsTheLawClimbsFromZeroToTheTopOfTheLadder) {
  // Goal: an absent limit is the ladder's own end.
  const auto policy = make_policy(law({}, {}), kZlib, 1);
  EXPECT_EQ(policy->choose({}, kText, kBlock).level, 0);
  EXPECT_EQ(level_after(*policy, {.level = 8, .fifo_before = 20, .fifo_after = 30}), 9);
  EXPECT_EQ(level_after(*policy, {.level = 9, .fifo_before = 20, .fifo_after = 30}), 9);
  EXPECT_EQ(level_after(*policy, {.level = 1, .fifo_before = 20, .fifo_after = 10}), 0);
}

TEST(MakePolicyTest, ARangeOfOneLevelIsAllowed) {
  // Goal: min and max may meet, at both ends of the ladder.
  EXPECT_EQ(level_after(*make_policy(law(0, 0), kZlib, 1), {.level = 0, .fifo_after = 99}), 0);
  EXPECT_EQ(level_after(*make_policy(law(9, 9), kZlib, 1), {.level = 9, .fifo_before = 99}), 9);
}

TEST(MakePolicyTest, SelectiveCompressesWhatIsLongAndWhatIsShortOnlyWhileTheFifoIsBusy) {
  // Goal: Niwa 2022, Algorithm 1, line by line; what looks random is its "else: no compression".
  const auto policy = make_policy({.policy = PolicyKind::selective}, kAuto, 1);
  const LinkState idle{};
  const LinkState busy{.fifo_packets = 1};
  const int level = policy->choose(idle, kText, 25'000).level;
  EXPECT_EQ(to_string(kAuto[level]), "zstd 1");
  EXPECT_EQ(policy->choose(idle, kText, 24'999).level, 0);
  EXPECT_EQ(policy->choose(busy, kText, 24'999).level, level);
  EXPECT_EQ(policy->choose(busy, kText, 204'800).level, level);
  EXPECT_EQ(policy->choose(busy, kNoise, 204'800).level, 0);
  EXPECT_EQ(policy->choose(busy, kNoise, 24'999).level, 0);
}

TEST(MakePolicyTest, SelectiveTakesTheFirstSettingOfTheLaddersCodecOrTheLevelThatWasAskedFor) {
  // Goal: one level in every ladder, a fast one.
  const auto level = [](const char* name, std::optional<int> asked) {
    const Ladder ladder = Ladder::named(name);
    const auto policy = make_policy({.policy = PolicyKind::selective, .level = asked}, ladder, 1);
    return to_string(ladder[policy->choose({}, kText, kBlock).level]);
  };
  EXPECT_EQ(level("zlib", {}), "zlib 1");
  EXPECT_EQ(level("lz4", {}), "lz4 1");
  EXPECT_EQ(level("zstd", {}), "zstd 1");
  EXPECT_EQ(level("zlib", 6), "zlib 6");
}

TEST(MakePolicyTest, LevelsThatTheLadderDoesNotHaveAreUsageErrors) {
  // Goal: each option is named with its value and with what is possible.
  const auto refused = [](const PipelineOptions& options, std::string_view message) {
    expect_error(ErrorKind::usage, message,
                 [&] { static_cast<void>(make_policy(options, kZlib, 1)); });
  };
  refused(fixed_at({}), "level is missing");
  refused(fixed_at(10), "level 10: this ladder has the levels 0 to 9");
  refused(fixed_at(-1), "level -1");
  refused(law(10, {}), "min_level 10: this ladder has the levels 0 to 9");
  refused(law(-1, {}), "min_level -1");
  refused(law({}, 10), "max_level 10");
  refused(law({}, -1), "max_level -1");
  refused(law(5, 4), "min_level 5 is above the highest level, 4");
  refused({.policy = PolicyKind::adoc, .level = 3}, "level is one fixed level");
  refused({.policy = PolicyKind::automatic, .level = 3}, "level is one fixed level");
  refused({.policy = PolicyKind::selective, .min_level = 3},
          "min_level does not go with one fixed level");
}

}  // namespace
}  // namespace adoc
