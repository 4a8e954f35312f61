// When a sender connects again.

#include "transfer/backoff.hpp"

#include <gtest/gtest.h>

#include <set>

namespace adoc {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const Clock::time_point kBegin{};

TEST(BackoffTest, EachWaitIsAboutTwiceTheOneBeforeUpToALimit) {
  // Goal: a fifth of a second, a quarter more or less, then longer and longer.
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Backoff backoff(hours(1), seed);
    milliseconds turn = Backoff::kFirst;
    for (unsigned attempt = 1; attempt <= 9; ++attempt) {
      const auto wait = backoff.next(kBegin);
      ASSERT_TRUE(wait);
      EXPECT_EQ(backoff.attempt(), attempt);
      EXPECT_GE(*wait, turn * 3 / 4);
      EXPECT_LE(*wait, turn * 5 / 4);
      turn = std::min(turn * 2, Backoff::kLongest);
    }
  }
}

TEST(BackoffTest, SendersDoNotComeBackTogether) {
  // Goal: the waits of different seeds differ.
  std::set<milliseconds> waits;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    waits.insert(*Backoff(hours(1), seed).next(kBegin));
  EXPECT_GT(waits.size(), 20U);
}

TEST(BackoffTest, TheLastAttemptIsAtTheEndOfTheTime) {
  // Goal: the whole time is used, and not a millisecond more; 0 is no time.
  Backoff backoff(seconds(60), 1);
  Clock::time_point now = kBegin;
  while (const auto wait = backoff.next(now)) now += *wait;
  EXPECT_EQ(now, kBegin + seconds(60));
  EXPECT_EQ(backoff.left(now), milliseconds(0));
  EXPECT_FALSE(Backoff({}, 1).next(kBegin));
}

TEST(BackoffTest, TimeWithAConnectionDoesNotCount) {
  // Goal: who loses a connection of hours has as much time as before it, and who loses one after
  // the other without progress has it once.
  Backoff backoff(minutes(10), 1);
  EXPECT_TRUE(backoff.next(kBegin));
  backoff.connected(kBegin + minutes(4));
  const Clock::time_point lost = kBegin + hours(5);
  EXPECT_TRUE(backoff.next(lost));
  EXPECT_EQ(backoff.left(lost), minutes(6));
  backoff.connected(lost + minutes(6));
  EXPECT_FALSE(backoff.next(lost + hours(1)));
}

TEST(BackoffTest, ProgressStartsItAnew) {
  // Goal: what failed before does not count any more, neither for the waits nor for the time.
  Backoff backoff(seconds(1), 1);
  for (unsigned attempt = 0; attempt < 5; ++attempt) EXPECT_TRUE(backoff.next(kBegin));
  EXPECT_FALSE(backoff.next(kBegin + seconds(1)));
  backoff.reset();
  const auto wait = backoff.next(kBegin + seconds(2));
  ASSERT_TRUE(wait);
  EXPECT_LE(*wait, Backoff::kFirst * 5 / 4);
  EXPECT_EQ(backoff.left(kBegin + seconds(2)), seconds(1));
}

}  // namespace
}  // namespace adoc
