#include "control/auto/auto_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "unit/control/auto_scenes.hpp"

namespace adoc {
namespace {

using namespace testkit;

TEST(AutoPolicyTest, IsAboutAsFastAsTheBestFixedLevelFoundInHindsight) {
  // Goal: within 5 % on most of the measured data over links from 10 Mbit/s to 10 Gbit/s, and how
  // far off the rest is: links here have no buffers, so distrust of a link that takes the first
  // megabyte at once only costs. What vanishes under any compressor (lineal.bin) is left out: there
  // the first blocks, chosen before anything is known, are all that is sent.
  std::vector<double> regrets;
  for (const double rate : {10e6, 100e6, 1e9, 10e9})
    for (const auto& [name, kind] : measured()) {
      if (name == "lineal.bin") continue;
      sim::Setup setup = transfer(kind, 60e6, bits(rate));
      // Two processors send 10 Gbit/s and do nothing else.
      if (rate == 10e9) setup.threads = 8, setup.cores = 8, setup.receiver_cores = 8;
      regrets.push_back(regret(setup));
    }
  EXPECT_LT(quantile(regrets, 0.5), 1.02);
  EXPECT_LT(quantile(regrets, 0.8), 1.06);
  EXPECT_LT(quantile(regrets, 0.95), 1.32);
  EXPECT_LT(quantile(regrets, 1), 2);
}

TEST(AutoPolicyTest, LeavesTheProcessorsToWhatSendsWhereTheyAreWhatLimits) {
  // Goal: one machine of two processors at both ends of a link that is as fast as these send: what
  // compressing takes from sending and receiving is not gained on the link.
  std::vector<double> regrets;
  for (const double rate : {5e9, 10e9, 1e12})
    for (const auto& [name, kind] : measured()) {
      sim::Setup setup = transfer(kind, 400e6, bits(rate));
      setup.share_machine();
      regrets.push_back(regret(setup));
    }
  EXPECT_LT(quantile(regrets, 0.5), 1.03);
  EXPECT_LT(quantile(regrets, 0.8), 1.07);
  EXPECT_LT(quantile(regrets, 1), 1.18);
}

TEST(AutoPolicyTest, CompressesForALinkThatIsNearlyAsFastAsTheProcessors) {
  // Goal: two processors at each end of a link of 10 Gbit/s are not left idle although to send, to
  // compress and the link take about the same time.
  std::vector<double> regrets;
  for (const auto& [name, kind] : measured())
    regrets.push_back(regret(transfer(kind, 60e6, bits(10e9))));
  EXPECT_LT(quantile(regrets, 0.5), 1.04);
  EXPECT_LT(quantile(regrets, 1), 1.27);
}

TEST(AutoPolicyTest, LearnsOnAFewMegabytes) {
  // Goal: short files are not sent as if nothing were known, whatever they hold.
  for (const double rate : {10e6, 100e6, 1e9}) {
    std::vector<double> regrets;
    for (const auto& [name, kind] : measured())
      regrets.push_back(regret(transfer(kind, 5e6, bits(rate))));
    EXPECT_LT(quantile(regrets, 0.5), 1.3) << rate;
    EXPECT_LT(quantile(regrets, 0.8), 1.7) << rate;
  }
}

TEST(AutoPolicyTest, ManyProcessorsDoNotMakeAShortFileBeforeTheLinkIsKnown) {
  // Goal: what 32 processors make at once is no reason for a slow link to carry it.
  std::vector<double> regrets;
  for (const double rate : {2e6, 10e6})
    for (const auto& [name, kind] : measured()) {
      sim::Setup setup = transfer(kind, 3e6, bits(rate));
      setup.threads = setup.receiver_threads = 32;
      setup.cores = setup.receiver_cores = 32;
      regrets.push_back(regret(setup));
    }
  EXPECT_LT(quantile(regrets, 0.5), 1.17);
  EXPECT_LT(quantile(regrets, 0.8), 1.4);
}

TEST(AutoPolicyTest, DoesNotTakeALinkWithAQueueOnTheWayForOneThatWaits) {
  // Goal: where a shaper or a router takes what the link sends in a twentieth of a second, this
  // machine has nothing left to send for most of the time, and the link has.
  std::vector<double> regrets;
  for (const double rate : {10e6, 100e6, 1e9})
    for (const auto& [name, kind] : measured()) {
      if (name == "lineal.bin") continue;
      sim::Setup setup = transfer(kind, 60e6, bits(rate));
      setup.way_seconds = 50e-3;
      regrets.push_back(regret(setup));
    }
  EXPECT_LT(quantile(regrets, 0.5), 1.02);
  EXPECT_LT(quantile(regrets, 0.8), 1.06);
  EXPECT_LT(quantile(regrets, 1), 1.8);
}

TEST(AutoPolicyTest, PutsTheEffortWhereItBuysMostOnMixedData) {
  // Goal: block by block, level with the best fixed level on slow links; at 1 Gbit/s these 80 MB
  // are over in a third of a second, of which four kinds of data are learned.
  for (const double rate : {10e6, 100e6, 1e9}) {
    sim::Setup setup = transfer(measured().at("bin.tar"), 0, bits(rate));
    setup.data.clear();
    for (int i = 0; i < 5; ++i)
      for (const char* name : {"bin.tar", "random.bin", "tsp_tours.i32", "docs.tar"})
        setup.data.push_back({&measured().at(name), 4e6});
    std::vector<double> regrets;
    for (setup.seed = 1; setup.seed <= 15; ++setup.seed) regrets.push_back(regret(setup));
    EXPECT_LT(quantile(regrets, 0.5), rate < 1e9 ? 1.03 : 1.2) << rate;
  }
}

TEST(AutoPolicyTest, WhatRepeatsOneStringNowAndThenSaysLittleOfTheRest) {
  // Goal: blocks that look like the rest of a file and vanish do not make dense levels look fast.
  for (const char* name : {"docs.tar", "bin.tar", "headers.tar"}) {
    const sim::Kind& usual = measured().at(name);
    sim::Kind repeated = measured().at("lineal.bin");
    repeated.stats = usual.stats;
    for (const double rate : {10e6, 100e6, 1e9}) {
      sim::Setup setup = transfer(usual, 0, bits(rate));
      setup.data.clear();
      for (int i = 0; i < 20; ++i) {
        setup.data.push_back({&usual, 1e6});
        setup.data.push_back({&repeated, 64e3});
      }
      std::vector<double> regrets;
      for (setup.seed = 1; setup.seed <= 15; ++setup.seed) regrets.push_back(regret(setup));
      EXPECT_LT(quantile(regrets, 0.5), 1.6) << name << " " << rate;
    }
  }
}

TEST(AutoPolicyTest, RandomDataCostsNoMoreThanRaw) {
  // Goal: within 2 % up to 1 Gbit/s.
  for (const char* name : {"random.bin", "bin.tar.gz"})
    for (const double rate : {10e6, 100e6, 1e9}) {
      const sim::Setup setup = transfer(measured().at(name), 60e6, bits(rate));
      const double raw = run(setup, {.policy = PolicyKind::fixed, .level = 0}).seconds;
      EXPECT_LT(run(setup).seconds, 1.02 * raw) << name << " at " << rate;
    }
}

TEST(AutoPolicyTest, DoesNotTakeASlowStartForASlowLink) {
  // Goal: what is sent over a link of 1 Gbit/s while its window doubles with each round trip is not
  // made for the slow link that this looks like.
  for (const double round_trip : {5e-3, 20e-3})
    for (const char* name : {"bin.tar", "stdlib.tar", "tsp_tours.i32"}) {
      sim::Setup setup = transfer(measured().at(name), 30e6, {});
      setup.threads = setup.receiver_threads = 8;
      setup.cores = setup.receiver_cores = 8;
      setup.round_trip_seconds = round_trip;
      double at = 0;
      for (double window = 14'600; window / round_trip < 125e6; window *= 2, at += round_trip)
        setup.link.push_back({at, window / round_trip, true});
      setup.link.push_back({at, 125e6});
      const double told = run(setup).seconds;
      for (sim::LinkStep& step : setup.link) step.slow_start = false;
      EXPECT_LT(told, 0.95 * run(setup).seconds) << name << ", " << round_trip << " s";
    }
}

TEST(AutoPolicyTest, FollowsALinkThatStepsUp) {
  // Goal: never stuck high: from a moment after the step the link is used as if it had always been
  // that fast, so all that is lost is the second before and little more. A dense block that was
  // begun then is given up.
  for (const char* name : {"bin.tar", "stdlib.tar"})
    for (const double rate : {100e6, 1e9}) {
      const auto& kind = measured().at(name);
      const double bytes = rate / 8 * 20;
      const double stepped = run(transfer(kind, bytes, {{0, 1.25e6}, {1, rate / 8}})).seconds;
      const double steady = run(transfer(kind, bytes, bits(rate))).seconds;
      EXPECT_LT(stepped, 1.15 + 1.02 * steady) << name << " to " << rate;
    }
}

TEST(AutoPolicyTest, FollowsALinkThatStepsUpAndDown) {
  // Goal: on a link that changes every two seconds no slower than the best fixed level, and faster
  // than the paper's law.
  std::vector<sim::LinkStep> link;
  for (int i = 0; i < 60; ++i) link.push_back({2.0 * i, i % 2 == 0 ? 125e6 : 1.25e6});
  for (const char* name : {"bin.tar", "stdlib.tar"}) {
    sim::Setup setup = transfer(measured().at(name), 3e9, link);
    const double law = run(setup, {.policy = PolicyKind::adoc}).seconds;
    const double best = sim::best_fixed_seconds(setup);
    std::vector<double> seconds;
    for (setup.seed = 1; setup.seed <= 5; ++setup.seed) seconds.push_back(run(setup).seconds);
    EXPECT_LT(quantile(seconds, 0.5), 1.03 * best) << name;
    EXPECT_LT(quantile(seconds, 1), law) << name;
  }
}

TEST(AutoPolicyTest, ALinkThatStopsForAWhileCostsThatWhile) {
  // Goal: no level is held on to for what the link did while it was down, but for one block of the
  // densest level that was begun meanwhile, and cannot be cut before its prefix is indexed.
  const auto& kind = measured().at("bin.tar");
  const double without = run(transfer(kind, 100e6, bits(100e6))).seconds;
  const double with = run(transfer(kind, 100e6, {{0, 12.5e6}, {1, 0}, {4, 12.5e6}})).seconds;
  EXPECT_LT(with, without + 3.7);
}

TEST(AutoPolicyTest, ASlowDiskIsNotASlowLink) {
  // Goal: the time is the disk's, and what is compressed once that is known is compressed lightly.
  sim::Setup setup = transfer(measured().at("bin.tar"), 200e6, bits(1e9));
  setup.disk_rate = 40e6;
  const sim::Outcome outcome = run(setup);
  EXPECT_LT(outcome.seconds, 1.03 * 200e6 / setup.disk_rate);
  for (const sim::Step& step : outcome.steps)
    if (step.chosen_seconds > 2.5) {
      EXPECT_LE(step.level, 15) << step.chosen_seconds;
    }
}

TEST(AutoPolicyTest, FollowsAMachineThatIsShared) {
  // Goal: with a quarter of a core the levels are as much slower, and it is seen in time.
  for (const double rate : {10e6, 100e6, 1e9}) {
    sim::Setup setup = transfer(measured().at("bin.tar"), 60e6, bits(rate));
    setup.cores = 0.25;
    EXPECT_LT(regret(setup), 1.15) << rate;
  }
}

TEST(AutoPolicyTest, StaysWithAFewLevelsOnASteadyLink) {
  // Goal: no oscillation beyond what mixing two needs: nine tenths of the bytes within a quarter of
  // the ladder.
  const auto outcome = run(transfer(measured().at("bin.tar"), 300e6, bits(100e6)));
  std::vector<std::pair<int, double>> levels;
  double all = 0;
  for (const sim::Step& step : outcome.steps)
    if (step.chosen_seconds > outcome.seconds / 4) {
      levels.emplace_back(step.level, step.raw_bytes);
      all += step.raw_bytes;
    }
  double most = 0;
  for (int low = 0; low <= kAutoLadder.last(); ++low) {
    double inside = 0;
    for (const auto& [level, bytes] : levels)
      if (level >= low && level <= low + 5) inside += bytes;
    most = std::max(most, inside);
  }
  EXPECT_GT(most, 0.9 * all);
}

TEST(AutoPolicyTest, DoesNotDependOnTheDataItWasMadeWith) {
  // Goal: data, links and machines at random, a fixed seed: the distribution of the regret.
  std::mt19937_64 random(7);
  std::vector<double> regrets;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const sim::Kind kind = sim::random_kind(kAutoLadder, seed);
    const double rate =
        std::exp(std::uniform_real_distribution<double>(std::log(1e6), std::log(4e10))(random));
    sim::Setup setup = transfer(kind, 60e6, bits(rate));
    setup.threads = setup.receiver_threads = 1 + random() % 8;
    setup.cores = setup.receiver_cores = static_cast<double>(setup.threads);
    regrets.push_back(regret(setup));
  }
  EXPECT_LT(quantile(regrets, 0.5), 1.05);
  EXPECT_LT(quantile(regrets, 0.95), 1.85);
  EXPECT_LT(quantile(regrets, 1), 3.5);
}

/// Of what was sent, the part in blocks of dense codecs.
double dense_part(const sim::Outcome& outcome) {
  double dense = 0;
  double all = 0;
  for (const sim::Step& step : outcome.steps) {
    all += step.raw_bytes;
    if (is_dense(kAutoLadder[step.level].codec)) dense += step.raw_bytes;
  }
  return dense / all;
}

TEST(AutoPolicyTest, SortsBlocksForASlowLinkOnly) {
  // Goal: what nobody waits for is made as dense as there is time for; a fast link, a peer that
  // takes no such blocks and memory that does not suffice get none.
  if (kAutoLadder.last() == kAutoLadder.top()) GTEST_SKIP() << "built without libbzip3";
  sim::Setup setup = transfer(measured().at("tsp_tours.i32"), 60e6, bits(10e6));
  const sim::Outcome sorted = run(setup);
  EXPECT_GT(dense_part(sorted), 0.5);
  EXPECT_EQ(dense_part(run(setup, {.memory_bytes = std::size_t{8} << 20})), 0);
  setup.dense = false;
  const sim::Outcome plain = run(setup);
  EXPECT_EQ(dense_part(plain), 0);
  EXPECT_LT(sorted.seconds, 0.95 * plain.seconds);
  EXPECT_EQ(dense_part(run(transfer(measured().at("tsp_tours.i32"), 60e6, bits(1e9)))), 0);
}

TEST(AutoPolicyTest, SortsBlocksForAReceiverWhoseThreadsSuffice) {
  // Goal: what one thread would decompress too slowly for the link several are known to keep up
  // with, since the receiver says how many it has.
  if (kAutoLadder.last() == kAutoLadder.top()) GTEST_SKIP() << "built without libbzip3";
  sim::Setup setup = transfer(measured().at("tsp_tours.i32"), 400e6, bits(20e6));
  setup.threads = 8, setup.cores = 8, setup.receiver_threads = 8, setup.receiver_cores = 8;
  EXPECT_GT(dense_part(run(setup)), 0.5);
  EXPECT_LT(regret(setup), 1.05);
}

TEST(AutoPolicyTest, DoesNotSendAReceiverWhatItIsTooSlowFor) {
  // Goal: what compresses to a twentieth would arrive faster than one thread can decompress it.
  sim::Setup setup = transfer(measured().at("oilpan_like.hb"), 60e6, bits(40e6));
  setup.threads = 1, setup.cores = 1, setup.receiver_threads = 1, setup.receiver_cores = 1;
  EXPECT_LT(dense_part(run(setup)), 0.3);
}

TEST(AutoPolicyTest, KeepsToTheLevelsThatItMayUse) {
  // Goal: --min-level and --max-level.
  const auto outcome =
      run(transfer(measured().at("bin.tar"), 30e6, bits(100e6)), {.min_level = 3, .max_level = 6});
  for (const sim::Step& step : outcome.steps) {
    EXPECT_GE(step.level, 3);
    EXPECT_LE(step.level, 6);
  }
}

TEST(AutoPolicyTest, DoesNotStayWithTheFirstLevelThatMakesDataVanish) {
  // Goal: on a slow link it matters also of what nearly vanishes whether it is a hundredth or a
  // thousandth that is left, and levels that were not tried are.
  EXPECT_LT(regret(transfer(measured().at("lineal.bin"), 2e9, bits(10e6))), 1.1);
}

TEST(AutoPolicyTest, ASlowMachineOnTheFarSideIsNotASlowLink) {
  // Goal: a machine with a quarter of a processor, at the end of a link that is faster, is not sent
  // what takes it longest. It is seen when much of the file has gone, and known the next time. Once
  // it is fast, that is seen soon.
  std::vector<double> first;
  std::vector<double> second;
  std::vector<double> by_now_fast;
  for (const auto& [name, kind] : measured()) {
    const sim::Setup fast = transfer(kind, 400e6, bits(10e9));
    sim::Setup slow = fast;
    slow.receiver_cores = 0.25;
    const double best = sim::best_fixed_seconds(slow);
    first.push_back(run(slow).seconds / best);
    second.push_back(run_after(slow, slow).seconds / best);
    by_now_fast.push_back(run_after(slow, fast).seconds / run(fast).seconds);
  }
  EXPECT_LT(quantile(first, 0.5), 1.2);
  EXPECT_LT(quantile(first, 0.8), 1.3);
  EXPECT_LT(quantile(second, 0.5), 1.15);
  EXPECT_LT(quantile(second, 0.8), 1.25);
  EXPECT_LT(quantile(by_now_fast, 0.8), 1.2);
}

/// Sends blocks that all cost the processor the same, over a link of 125 MB/s that always has
/// enough, and behind that so much in the FIFO; each `every`th stands still for 17 ms more.
struct Contended {
  explicit Contended(int every, std::uint64_t waiting_bytes = 0) {
    double seconds = 0;
    for (int block = 1; block <= 200; ++block) {
      LinkState link{.seconds = seconds, .unsent_bytes = 200'000, .ready_bytes = 1'000'000};
      link.queued_bytes = link.ready_bytes + waiting_bytes;
      link.sent_bytes = link.arrived_bytes = static_cast<std::uint64_t>(seconds * 125e6);
      const std::size_t raw = policy->plan(link).block_bytes;
      const int level = policy->choose(link, kWords, raw).level;
      const double processor = static_cast<double>(raw) * (1 + level) * 0.3e-9;
      const double wall = processor + (block % every == 0 ? 17e-3 : 0);
      seconds += wall / 2;
      link.seconds = seconds;
      policy->learn(
          link,
          {.level = level,
           .stats = kWords,
           .raw_bytes = raw,
           .wire_bytes = level == 0 ? raw : raw / 2 - raw / 50 * static_cast<std::size_t>(level),
           .compress_seconds = wall,
           .processor_seconds = processor});
      if (block > 100) levels += level;
    }
  }
  static constexpr SampleStats kWords{.entropy_bits = 5};
  std::unique_ptr<Policy> policy = make_policy({}, kAutoLadder, 2);
  int levels = 0;
};

TEST(AutoPolicyTest, LeavesAProcessorThatItHasLittleOfToWhatSends) {
  // Goal: where all threads stand still for most of the time, under a quota, most blocks are done
  // as fast as ever: what work takes is what all of them together take.
  const Contended free(1'000);
  const Contended held(3);
  EXPECT_LT(held.levels * 2, free.levels);
}

TEST(AutoPolicyTest, DoesNotTakeAQueueThatStandsStillForASlowLink) {
  // Goal: where threads stand still, so does the one that sends; what waits for it waits for a
  // processor, of which dense blocks would leave it even less.
  constexpr std::uint64_t kMuch = 4 << 20;
  const Contended free(1'000, kMuch);
  const Contended held(3, kMuch);
  EXPECT_GT(free.levels, 100) << "a link that takes its time is given dense blocks";
  EXPECT_LT(held.levels * 3, free.levels);
}

TEST(AutoPolicyTest, WhatACutHasLeftIsNotGivenTheTimeOfWhatIsBehindIt) {
  // Goal: on a slow link with much in the queue there is time for the densest level, but not for
  // the rest of a block that the link waits for.
  const auto level = [](bool rest) {
    const auto policy = make_policy(
        {}, kAutoLadder, 2,
        PathMetrics{.log_rate = std::log(1.25e6), .log_rate_deviation = 0.1, .bytes = 64e6});
    const LinkState link{.seconds = 1, .queued_bytes = 64 << 20, .rest = rest};
    return policy->choose(link, {.entropy_bits = 5}, 4 << 20).level;
  };
  EXPECT_LT(level(true), level(false));
}

/// What filters are weighed by once a block was chosen for.
FilterPrices filter_prices(const PathMetrics& of_path) {
  const auto policy = make_policy({}, kAutoLadder, 2, of_path);
  const LinkState link{.seconds = 1};
  EXPECT_EQ(policy->plan(link).filter_prices.second, 0) << "nobody knows what time is worth";
  static_cast<void>(policy->choose(link, {.entropy_bits = 5}, 32 << 10));
  return policy->plan(link).filter_prices;
}

TEST(AutoPolicyTest, AByteIsWorthTheMoreWorkTheSlowerTheLinkIs) {
  // Goal: on a slow link a filter may take long for a byte that it saves, on a fast one it may not.
  const auto byte_seconds = [](double rate) {
    const FilterPrices prices =
        filter_prices({.log_rate = std::log(rate), .log_rate_deviation = 0.1, .bytes = 64e6});
    EXPECT_GE(prices.receiver_second, prices.second);
    return prices.stored_byte / prices.receiver_second;
  };
  EXPECT_GT(byte_seconds(125e4), 1e-7);
  EXPECT_LT(byte_seconds(125e7), 1e-8);
  EXPECT_GT(byte_seconds(125e7), 0);
}

TEST(AutoPolicyTest, ForASlowReceiverAByteOfTheWireIsWorthNothing) {
  // Goal: what takes the receiver time to undo is not done for a link that waits for the receiver.
  const FilterPrices prices =
      filter_prices({.log_rate = std::log(125e6),
                     .log_rate_deviation = 0.1,
                     .bytes = 64e6,
                     .receiver = {.overall = 1'000, .decompressing = 1'000}});
  EXPECT_LT(prices.stored_byte, 1e-10 * prices.receiver_second);
}

TEST(AutoPolicyTest, LearnsNothingFromNothing) {
  // Goal: what was too short to show the link leaves no word about it.
  const auto policy = make_policy({}, kAutoLadder, 2);
  EXPECT_FALSE(policy->path_metrics());
  const sim::Setup setup = transfer(measured().at("bin.tar"), 20e3, bits(1e9));
  static_cast<void>(sim::run(setup, *policy));
  EXPECT_FALSE(policy->path_metrics());
}

}  // namespace
}  // namespace adoc
