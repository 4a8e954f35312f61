#include <gtest/gtest.h>

#include "control/policy.hpp"
#include "support/expect_error.hpp"

namespace adoc {
namespace {

using testkit::expect_error;

PipelineOptions levels(std::optional<int> min, std::optional<int> max) {
  PipelineOptions options;
  options.min_level = min;
  options.max_level = max;
  return options;
}

PipelineOptions fixed_at(std::optional<int> level) {
  PipelineOptions options;
  options.policy = PolicyKind::fixed;
  options.level = level;
  return options;
}

TEST(MakePolicyTest, FixedIsOneLevelWhateverTheFifoDoes) {
  // Goal: --level N.
  const auto policy = make_policy(fixed_at(7), 9);
  EXPECT_EQ(policy->first_level(), 7);
  EXPECT_EQ(policy->next({7, 0, 1'000}).level, 7);
  EXPECT_EQ(policy->next({7, 1'000, 0}).level, 7);
}

TEST(MakePolicyTest, WithoutLimitsThePolicyClimbsFromZeroToTheTopOfTheLadder) {
  // Goal: an absent limit is the ladder's own end.
  const auto policy = make_policy(levels({}, {}), 3);
  EXPECT_EQ(policy->first_level(), 0);
  EXPECT_EQ(policy->next({2, 20, 30}).level, 3);
  EXPECT_EQ(policy->next({3, 20, 30}).level, 3);
  EXPECT_EQ(policy->next({1, 20, 10}).level, 0);
}

TEST(MakePolicyTest, ARangeOfOneLevelIsAllowed) {
  // Goal: min and max may meet, at both ends of the ladder.
  EXPECT_EQ(make_policy(levels(0, 0), 9)->next({0, 0, 99}).level, 0);
  EXPECT_EQ(make_policy(levels(9, 9), 9)->next({9, 99, 0}).level, 9);
}

TEST(MakePolicyTest, LevelsThatTheLadderDoesNotHaveAreUsageErrors) {
  // Goal: each option is named with its value and with what is possible.
  const auto refused = [](const PipelineOptions& options, std::string_view message) {
    expect_error(ErrorKind::usage, message, [&] { static_cast<void>(make_policy(options, 9)); });
  };
  refused(fixed_at(10), "--level 10: this ladder has the levels 0 to 9");
  refused(fixed_at(-1), "--level -1");
  refused(levels(10, {}), "--min-level 10: this ladder has the levels 0 to 9");
  refused(levels(-1, {}), "--min-level -1");
  refused(levels({}, 10), "--max-level 10");
  refused(levels({}, -1), "--max-level -1");
  refused(levels(5, 4), "--min-level 5 is above --max-level 4");
}

}  // namespace
}  // namespace adoc
