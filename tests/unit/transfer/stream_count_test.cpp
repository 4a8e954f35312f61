// How many connections are used, on paths that are formulas.

#include "transfer/stream_count.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

TEST(StreamCountTest, TheFewestThatBringAboutAsMuchAreFound) {
  // Goal: over 1,000 paths the number at rest brings 90 % of what the most would, the next step
  // down does not, and it is found within 40 samples. Falsified by any that uses more.
  auto rng = testkit::seeded_rng();
  for (int i = 0; i < 1'000; ++i) {
    CountPath path{.rate = 1e6 + static_cast<double>(up_to(rng, 100'000'000)), .rng = rng};
    path.of_one = path.rate * (0.05 + 0.95 * 1e-6 * static_cast<double>(up_to(rng, 1'000'000)));
    rng();
    StreamCount count(16);
    const Found found = find(path, count);
    ASSERT_TRUE(count.is_at_rest()) << i;
    EXPECT_LE(found.samples, 40) << i;
    EXPECT_GE(path.with(found.count), 0.90 * path.with(16)) << i << " " << path.of_one / path.rate;
    const auto below = static_cast<std::size_t>(static_cast<double>(found.count) / 1.3);
    if (found.count > 1) {
      EXPECT_LT(path.with(std::max<std::size_t>(1, std::min(below, found.count - 1))),
                path.with(16))
          << i << " " << found.count << " " << path.of_one / path.rate;
    }
  }
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
