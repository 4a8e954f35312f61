// How many connections are used, on paths that are formulas.

#include "transfer/stream_count.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/seed.hpp"

namespace adoc {
namespace {

using testkit::up_to;

/// A path that so many bytes a second get through, of which one connection takes a part; rates are
/// seen with an error.
struct CountPath {
  double rate = 12.5e6;
  double of_one = 2e6;
  double round_trip = 0.08;
  double error = 0.02;
  bool loses = false;  ///< what one connection takes is what losses leave it
  testkit::Rng rng{1};

  [[nodiscard]] double with(std::size_t count) const {
    return std::min(rate, of_one * static_cast<double>(count));
  }
  StreamCount::Sample sample(std::size_t count) {
    // Each connection has losses of its own.
    const double of_all = loses ? error / std::sqrt(static_cast<double>(count)) : error;
    const double noise = of_all * (2e-6 * static_cast<double>(up_to(rng, 1'000'000)) - 1);
    return {.rate = with(count) * (1 + noise),
            .is_limit = true,
            .is_full = of_one * static_cast<double>(count) > rate,
            .round_trip = round_trip,
            .loss_limits = loses};
  }
};

struct Found {
  std::size_t count = 1;
  int samples = 0;
};

Found find(CountPath& path, StreamCount& count, int most_samples = 60) {
  Found found;
  while (found.samples < most_samples && !count.is_at_rest()) {
    found.count = count.take(path.sample(count.count()));
    ++found.samples;
  }
  return found;
}

/// What the law asks for: the fewest whose rate is within 5 % of what the most bring.
std::size_t fewest(const CountPath& path) {
  std::size_t count = 1;
  while (path.with(count) < 0.95 * path.with(16)) ++count;
  return count;
}

/// Of 1,000 paths, on which one connection brings from a sixteenth to all, any order of magnitude
/// as likely, and samples scatter with this standard deviation.
struct LawShares {
  int within = 0;   ///< have at rest 95 % of what the most would bring
  int fewest = 0;   ///< as many connections as the law asks for
  int one_off = 0;  ///< within 95 %, with no more than one connection too many
  int most_samples = 0;
};

LawShares shares_of(double scatter, bool has_queue, testkit::Rng& rng) {
  LawShares shares;
  for (int i = 0; i < 1'000; ++i) {
    CountPath path{.rate = 1e6 + static_cast<double>(up_to(rng, 100'000'000))};
    path.of_one = path.rate * std::pow(16, -1e-6 * static_cast<double>(up_to(rng, 1'000'000)));
    StreamCount count(16);
    int samples = 0;
    for (; samples < 100 && !count.is_at_rest(); ++samples) {
      StreamCount::Sample sample = path.sample(count.count());
      std::normal_distribution<double> rates(1, scatter);
      sample.rate = path.with(count.count()) * std::max(rates(rng), 0.1);
      sample.is_full = sample.is_full && has_queue;
      static_cast<void>(count.take(sample));
    }
    EXPECT_TRUE(count.is_at_rest()) << i;
    const bool is_within = path.with(count.count()) >= 0.95 * path.with(16);
    const std::size_t wanted = fewest(path);
    shares.within += is_within ? 1 : 0;
    shares.fewest += count.count() == wanted ? 1 : 0;
    shares.one_off += is_within && count.count() <= wanted + 1 ? 1 : 0;
    shares.most_samples = std::max(shares.most_samples, samples);
  }
  return shares;
}

TEST(StreamCountTest, TheFewestWithinATwentiethOfTheBestAreFound) {
  // Goal: the law, over 1,000 paths each with and without a queue. Samples of real paths scatter by
  // 0.7 % where the path is full, and by 8 % where it loses packets and is not. What is missing to
  // all of them are paths where a number brings almost 95 %, or a little more than that.
  auto rng = testkit::seeded_rng();
  struct Goal {
    double scatter;
    int within, fewest, one_off;  ///< of 1,000
  };
  for (const Goal& goal : {Goal{0.007, 990, 900, 990}, Goal{0.03, 970, 880, 960},
                           Goal{0.05, 950, 760, 870}, Goal{0.08, 920, 560, 700}}) {
    for (const bool has_queue : {false, true}) {
      const LawShares shares = shares_of(goal.scatter, has_queue, rng);
      EXPECT_GE(shares.within, goal.within) << goal.scatter;
      EXPECT_GE(shares.fewest, goal.fewest) << goal.scatter;
      EXPECT_GE(shares.one_off, goal.one_off) << goal.scatter;
    }
  }
}

TEST(StreamCountTest, ItIsFoundWithinSeconds) {
  // Goal: where samples scatter by 2 %, 50 of them are enough, which are 16 s on a path of 80 ms.
  auto rng = testkit::seeded_rng();
  EXPECT_LE(shares_of(0.02, true, rng).most_samples, 50);
}

TEST(StreamCountTest, TheFirstStepsAreLargeWhereThePathIsEmpty) {
  // Goal: eight connections where one brings a seventh are in use after as few samples as each
  // step needs for settling and for one look.
  CountPath path;
  path.of_one = path.rate / 7;
  StreamCount count(16);
  int samples = 0;
  for (; count.count() < 8 && samples < 100; ++samples)
    static_cast<void>(count.take(path.sample(count.count())));
  EXPECT_LE(samples, 6);
}

TEST(StreamCountTest, LossesThatChangeTheRateFromOneSampleToTheNextDoNotHoldItUp) {
  // Goal: where no two samples agree and nothing waits in a queue, as many as fill the path are in
  // use after the first steps, also where the first connection's start was faster than what losses
  // leave it later: in 99 of 100, as chance may let two steps look vain. Falsified by a law that
  // waits for samples that agree.
  auto rng = testkit::seeded_rng();
  int late = 0;
  for (int i = 0; i < 1'000; ++i) {
    CountPath path{.error = 0.6, .loses = true, .rng = rng};
    path.of_one = path.rate / (2 + 12e-6 * static_cast<double>(up_to(rng, 1'000'000)));
    rng();
    StreamCount count(16);
    StreamCount::Sample start = path.sample(1);
    start.rate = path.rate / 4;
    static_cast<void>(count.take(start));
    int samples = 0;
    while (path.with(count.count()) < 0.9 * path.rate && samples < 100) {
      static_cast<void>(count.take(path.sample(count.count())));
      ++samples;
    }
    late += samples > 20 ? 1 : 0;
  }
  EXPECT_LE(late, 10);
}

TEST(StreamCountTest, WhereMoreBringNothingLossesAreNoReasonForMore) {
  // Goal: behind a policer, which has no queue and loses what is too much, two steps that bring
  // nothing refute that there is room, and in the end there is one.
  StreamCount count(16);
  std::size_t most = 1;
  const StreamCount::Sample sample{
      .rate = 5e6, .is_limit = true, .round_trip = 0.08, .loss_limits = true};
  for (int i = 0; i < 40; ++i) most = std::max(most, count.take(sample));
  EXPECT_LE(most, 4U);
  EXPECT_EQ(count.count(), 1U);
}

TEST(StreamCountTest, WhileTheFirstOneGetsFasterByItselfThereIsNoOther) {
  // Goal: the start of a connection is not taken for what others bring.
  StreamCount count(16);
  StreamCount::Sample sample{.rate = 1e5, .is_limit = true, .round_trip = 0.08};
  for (int i = 0; i < 8; ++i, sample.rate *= 1.5) EXPECT_EQ(count.take(sample), 1U);
  EXPECT_EQ(count.take(sample), 1U);
  EXPECT_EQ(count.take(sample), 2U);
}

TEST(StreamCountTest, OneIsEnoughOnAShortOrFullPathAndWhereSomethingElseLimits) {
  // Goal: a second connection is not even tried.
  CountPath local{.of_one = 1e6, .round_trip = 0.005};
  CountPath full{.of_one = 20e6};
  CountPath idle;
  StreamCount short_path(16);
  StreamCount full_path(16);
  StreamCount other(16);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(short_path.take(local.sample(1)), 1U);
    EXPECT_EQ(full_path.take(full.sample(1)), 1U);
    StreamCount::Sample sample = idle.sample(1);
    sample.is_limit = false;
    EXPECT_EQ(other.take(sample), 1U);
  }
}

TEST(StreamCountTest, AQueueThatHasGoneHasShownWhatThePathCarries) {
  // Goal: where the congestion control lets a queue be only at the start, a second connection is
  // not tried before it has been at rest for a while.
  StreamCount count(16);
  StreamCount::Sample sample{.rate = 12e6, .is_limit = true, .is_full = true, .round_trip = 0.08};
  EXPECT_EQ(count.take(sample), 1U);
  sample.is_full = false;
  for (int i = 0; i < 20; ++i, sample.rate += i % 2 == 0 ? 1e5 : -1e5)
    EXPECT_EQ(count.take(sample), 1U);
  for (int i = 0; i < 40 && count.count() == 1; ++i) static_cast<void>(count.take(sample));
  EXPECT_EQ(count.count(), 2U);
}

TEST(StreamCountTest, APathThatBecomesAnotherIsFollowed) {
  // Goal: when one connection brings all again, fewer are used; when the path gets wider, more.
  CountPath path;
  path.of_one = path.rate / 8;
  StreamCount count(16);
  const std::size_t before = find(path, count).count;
  EXPECT_GE(before, 7U);
  path.of_one = 1.5 * path.rate;
  path.rate *= 2;
  for (int i = 0; i < 200; ++i) static_cast<void>(count.take(path.sample(count.count())));
  EXPECT_LE(count.count(), 2U);
  path.of_one = path.rate / 16;
  for (int i = 0; i < 200; ++i) static_cast<void>(count.take(path.sample(count.count())));
  EXPECT_GE(count.count(), 12U);
}

}  // namespace
}  // namespace adoc
