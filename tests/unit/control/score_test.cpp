#include "support/score.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/fixed_policy.hpp"
#include "support/oracle.hpp"
#include "support/sim_data.hpp"

namespace adoc {
namespace {

const Ladder kScoredLadder = Ladder::named("auto");

const std::vector<sim::Family>& all_families() {
  static const auto kAll = sim::families_of(sim::read_kinds(ADOC_LEVELS_CSV));
  return kAll;
}

TEST(ScoreTest, ASeedGivesTheSameWorldsAndTheSameScore) {
  // Goal: two builds of the program are compared by the same worlds, and another seed has others.
  for (std::uint64_t number = 0; number < 4; ++number) {
    const auto judged = [&](std::uint64_t seed) {
      return sim::judge(sim::make_world(kScoredLadder, all_families(), seed, number));
    };
    const sim::Judged once = judged(7);
    const sim::Judged again = judged(7);
    EXPECT_EQ(once.first, again.first);
    EXPECT_EQ(once.same, again.same);
    EXPECT_EQ(once.other, again.other);
    EXPECT_EQ(once.fixed, again.fixed);
    EXPECT_NE(once.first, judged(8).first);
  }
}

TEST(ScoreTest, WhereAllLevelsAreAlikeNothingIsToBeLost) {
  // Goal: the score is what a choice costs, and nothing else.
  sim::Kind kind{.name = "alike"};
  kind.levels.assign(static_cast<std::size_t>(kScoredLadder.last()) + 1,
                     {.compress_rate = 1e10, .ratio = 1, .decompress_rate = 1e10});
  const sim::Setup setup{
      .ladder = &kScoredLadder, .data = {{&kind, 100e6}}, .link = {{0, 10e6}}, .speed_noise = 0};
  FixedPolicy policy(0, 1 << 20);
  EXPECT_NEAR(sim::score_of(setup, sim::run(setup, policy)), 0, 0.01);
}

TEST(ScoreTest, WhoIsToldTheTruthOfDataAndLinkIsFaster) {
  // Goal: on slow links, where first blocks that are too light cost most; and nothing told changes
  // nothing.
  double believed = 0;
  double told = 0;
  for (std::uint64_t number = 0; number < 60; ++number) {
    const sim::World world = sim::make_world(kScoredLadder, all_families(), 31, number);
    if (world.bits_per_second > 10e6) continue;
    const auto score_with = [&](const sim::Oracle& oracle) {
      return sim::score_of(world.first, sim::run(world.first, oracle));
    };
    const double first = sim::judge(world).first;
    EXPECT_EQ(score_with({}), first);
    believed += first;
    told += score_with({.rate = true, .data = true});
  }
  EXPECT_GT(believed, 0);
  EXPECT_LT(told, 0.8 * believed);
}

TEST(ScoreTest, WorldsAreWithinTheirBounds) {
  // Goal: what the page says of them, and no world in which a fixed level beats the bound.
  double slowest = 1e12;
  double fastest = 0;
  std::size_t most_processors = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const sim::World world = sim::make_world(kScoredLadder, all_families(), 3, number);
    slowest = std::min(slowest, world.bits_per_second);
    fastest = std::max(fastest, world.bits_per_second);
    most_processors = std::max(most_processors, world.first.threads);
    ASSERT_FALSE(world.first.data.empty());
    EXPECT_EQ(world.first.data.front().kind, world.same.data.front().kind);
    EXPECT_NE(world.first.data.front().kind->name, world.other.data.front().kind->name);
    for (std::size_t i = 1; i < world.first.link.size(); ++i)
      EXPECT_LT(world.first.link[i - 1].at_seconds, world.first.link[i].at_seconds);
    if (number % 20 == 0) {
      EXPECT_GT(sim::judge(world).fixed, -0.01) << number;
    }
  }
  EXPECT_LT(slowest, 2e6);
  EXPECT_GT(fastest, 20e9);
  EXPECT_GT(most_processors, 48U);
}

TEST(ScoreTest, IsTheMeanAndTheTailOfLogarithms) {
  // Goal: what was not run is left out.
  std::vector<double> logarithms(100, 0);
  logarithms[3] = std::log(4);
  logarithms.push_back(std::nan(""));
  const sim::Score score = sim::score(logarithms);
  EXPECT_EQ(score.worlds, 100U);
  EXPECT_NEAR(score.mean, std::pow(4, 0.01), 1e-9);
  EXPECT_DOUBLE_EQ(score.most, 1);
  EXPECT_DOUBLE_EQ(score.worst, 4);
}

}  // namespace
}  // namespace adoc
