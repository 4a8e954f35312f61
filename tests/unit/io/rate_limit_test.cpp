#include "io/rate_limit.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "support/seed.hpp"

namespace adoc {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testkit::up_to;

constexpr std::size_t kMuch = 1 << 30;

/// A writer on a clock of its own, who always has more to write and writes what it may.
class Writer {
 public:
  explicit Writer(std::uint64_t rate) : rate_(static_cast<double>(rate)), limit_(rate, begin_) {}

  /// Waits as the limit says, oversleeps by this, and writes.
  void write(Clock::duration oversleep = {}, std::size_t wanted = kMuch) {
    std::size_t allowed = 0;
    while ((allowed = limit_.allowed(wanted, now_)) == 0) {
      ++waits_;
      now_ = limit_.next(wanted) + oversleep;
    }
    limit_.took(allowed);
    written_.push_back({now_, allowed});
    total_ += static_cast<double>(allowed);
  }
  void rest(Clock::duration time) { now_ += time; }

  /// Of all windows of a second that begin with a write, the most that went in one, in seconds of
  /// the rate.
  [[nodiscard]] double fullest_second() const {
    double most = 0;
    double inside = 0;
    std::deque<Written> window;
    for (const Written& one : written_) {
      window.push_back(one);
      inside += static_cast<double>(one.bytes);
      while (one.at - window.front().at >= std::chrono::seconds(1)) {
        inside -= static_cast<double>(window.front().bytes);
        window.pop_front();
      }
      most = std::max(most, inside);
    }
    return most / rate_;
  }
  /// Of all the time so far.
  [[nodiscard]] double rate_kept() const {
    return total_ / rate_ / std::chrono::duration<double>(now_ - begin_).count();
  }
  [[nodiscard]] Clock::duration time() const { return now_ - begin_; }
  [[nodiscard]] std::size_t last() const { return written_.back().bytes; }
  [[nodiscard]] int waits() const { return waits_; }

 private:
  struct Written {
    Clock::time_point at;
    std::size_t bytes;
  };
  const Clock::time_point begin_{std::chrono::hours(1)};
  Clock::time_point now_ = begin_;
  double rate_;
  RateLimit limit_;
  std::vector<Written> written_;
  double total_ = 0;
  int waits_ = 0;
};

constexpr std::uint64_t kRates[] = {1'024, 10'000, 100'000, 1'000'000, 12'500'000, 1'000'000'000};

TEST(RateLimitTest, OverAnySecondNoMoreGoesThanTheRateAndAFiftieth) {
  // Goal: also for one that oversleeps by up to 15 ms or has nothing to write for a while; a small
  // packet where that is more than a fiftieth.
  auto rng = testkit::seeded_rng();
  for (const std::uint64_t rate : kRates) {
    Writer writer(rate);
    while (writer.time() < std::chrono::seconds(20)) {
      writer.write(microseconds(up_to(rng, 15'000)), 1 + testkit::any_size(rng, kMuch));
      if (up_to(rng, 200) == 0) writer.rest(milliseconds(up_to(rng, 3'000)));
    }
    const double packet = 320.0 / static_cast<double>(rate);
    EXPECT_LE(writer.fullest_second(), 1.0001 + std::max(0.02, packet)) << rate;
  }
}

TEST(RateLimitTest, WhoAlwaysHasMoreKeepsTheRate) {
  // Goal: what was overslept is made up for: the rate is no less than what was asked for, either.
  auto rng = testkit::seeded_rng();
  for (const std::uint64_t rate : kRates) {
    const std::uint64_t oversleep_us = rate <= 100'000 ? 5'000 : 14'000;
    Writer writer(rate);
    while (writer.time() < std::chrono::seconds(20))
      writer.write(microseconds(up_to(rng, oversleep_us)));
    EXPECT_GT(writer.rate_kept(), 0.99) << rate;
    EXPECT_LT(writer.rate_kept(), 1.02) << rate;
  }
}

TEST(RateLimitTest, WhoHadNothingToWriteEarnsNoBurst) {
  // Goal: after an hour a fiftieth of a second goes at once, no more.
  Writer writer(1'000'000);
  writer.write();
  writer.rest(std::chrono::hours(1));
  writer.write();
  EXPECT_EQ(writer.last(), 20'000U);
  writer.write();
  EXPECT_LE(writer.last(), 5'001U);
}

TEST(RateLimitTest, ItIsAskedSeldom) {
  // Goal: nobody waits in a loop, and nobody writes a few bytes at a time: 200 writes a second at
  // a high rate, fewer at a low one, and at most one wait before each.
  for (const std::uint64_t rate : kRates) {
    Writer writer(rate);
    int writes = 0;
    for (; writer.time() < std::chrono::seconds(10); ++writes) writer.write();
    EXPECT_LE(writes, 2'010) << rate;
    EXPECT_LE(writer.waits(), writes + 1) << rate;
    EXPECT_GE(writes, 39) << rate << ": something moves four times a second";
  }
}

TEST(RateLimitTest, AShortFrameWaitsForNoMoreThanItself) {
  // Goal: nine bytes go as soon as there are nine, whatever the usual portion is.
  Writer writer(1'000'000);
  writer.write();
  const auto begin = writer.time();
  writer.write({}, 9);
  EXPECT_EQ(writer.last(), 9U);
  EXPECT_LE(writer.time() - begin, microseconds(10));
}

TEST(RateLimitTest, WhatWentUnaskedIsPaidForLater) {
  // Goal: the rate holds for frames, too, that could not wait.
  const Clock::time_point begin{};
  RateLimit limit(1'000, begin);
  limit.took(10'000);
  EXPECT_EQ(limit.allowed(1, begin + std::chrono::seconds(9)), 0U);
  EXPECT_NE(limit.allowed(1, begin + std::chrono::seconds(11)), 0U);
}

}  // namespace
}  // namespace adoc
