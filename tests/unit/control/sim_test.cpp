#include "support/sim.hpp"

#include <gtest/gtest.h>

#include "control/fixed_policy.hpp"

namespace adoc {
namespace {

const Ladder kZlibLadder = Ladder::named("zlib");

/// Level 1 halves everything at 100 MB/s.
sim::Kind halves() {
  sim::Kind kind{.name = "halves"};
  kind.levels.assign(static_cast<std::size_t>(kZlibLadder.top()) + 1,
                     {.compress_rate = 100e6, .ratio = 2, .decompress_rate = 1e9});
  kind.levels[0] = {.compress_rate = 1e10, .ratio = 1, .decompress_rate = 1e10};
  return kind;
}

const sim::Kind kHalves = halves();

sim::Setup setup(double link) {
  return {
      .ladder = &kZlibLadder, .data = {{&kHalves, 100e6}}, .link = {{0, link}}, .speed_noise = 0};
}

double seconds(const sim::Setup& transfer, int level) {
  FixedPolicy policy(level, 204'800);
  return sim::run(transfer, policy).seconds;
}

TEST(SimTest, ASlowLinkTakesTheTimeOfItsBytes) {
  // Goal: 100 MB raw and halved at 10 MB/s.
  EXPECT_NEAR(seconds(setup(10e6), 0), 10, 0.1);
  EXPECT_NEAR(seconds(setup(10e6), 1), 5, 0.2);
}

TEST(SimTest, ASlowCompressorTakesTheTimeOfItsThreadsAndCores) {
  // Goal: 100 MB at 100 MB/s by one thread, by two, and by two on one core.
  sim::Setup fast = setup(1e9);
  fast.threads = 1;
  EXPECT_NEAR(seconds(fast, 1), 1, 0.1);
  fast.threads = 2;
  EXPECT_NEAR(seconds(fast, 1), 0.5, 0.1);
  fast.cores = 1;
  EXPECT_NEAR(seconds(fast, 1), 1, 0.15);
}

TEST(SimTest, ASlowDiskHoldsEverythingUp) {
  // Goal: back pressure through all stages.
  sim::Setup slow = setup(1e9);
  slow.disk_rate = 20e6;
  EXPECT_NEAR(seconds(slow, 0), 5, 0.1);
}

TEST(SimTest, NoFixedLevelIsFasterThanTheBound) {
  // Goal: the bound is one: half of the blocks at level 1 is the best at 75 MB/s and one thread.
  for (const double link : {1e6, 50e6, 75e6, 200e6, 1e9}) {
    sim::Setup transfer = setup(link);
    transfer.threads = 1;
    const double bound = sim::least_seconds(transfer);
    for (const int level : {0, 1}) EXPECT_GE(seconds(transfer, level), 0.99 * bound) << link;
  }
}

TEST(SimTest, TheSameSetupGivesTheSameOutcome) {
  // Goal: noise comes from the seed alone.
  sim::Setup noisy = setup(30e6);
  noisy.speed_noise = 0.2;
  EXPECT_EQ(seconds(noisy, 1), seconds(noisy, 1));
}

}  // namespace
}  // namespace adoc
