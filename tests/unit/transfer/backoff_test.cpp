// When a sender connects again.

#include "transfer/backoff.hpp"

#include <gtest/gtest.h>

#include <set>

namespace adoc {
namespace {

using std::chrono::milliseconds;

TEST(BackoffTest, EachWaitIsAboutTwiceTheOneBeforeUpToALimit) {
  // Goal: a fifth of a second, a quarter more or less, then longer and longer, and then no more.
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Backoff backoff(9, seed);
    milliseconds turn = Backoff::kFirst;
    for (unsigned attempt = 1; attempt <= 9; ++attempt) {
      const auto wait = backoff.next();
      ASSERT_TRUE(wait);
      EXPECT_EQ(backoff.attempt(), attempt);
      EXPECT_GE(*wait, turn * 3 / 4);
      EXPECT_LE(*wait, turn * 5 / 4);
      turn = std::min(turn * 2, Backoff::kLongest);
    }
    EXPECT_FALSE(backoff.next());
  }
}

TEST(BackoffTest, SendersDoNotComeBackTogether) {
  // Goal: the waits of different seeds differ.
  std::set<milliseconds> waits;
  for (std::uint64_t seed = 0; seed < 100; ++seed) waits.insert(*Backoff(1, seed).next());
  EXPECT_GT(waits.size(), 20U);
}

TEST(BackoffTest, ProgressStartsItAnew) {
  // Goal: what failed before does not count any more; without attempts there is none.
  Backoff backoff(2, 1);
  EXPECT_TRUE(backoff.next());
  EXPECT_TRUE(backoff.next());
  EXPECT_FALSE(backoff.next());
  backoff.reset();
  const auto wait = backoff.next();
  ASSERT_TRUE(wait);
  EXPECT_LE(*wait, Backoff::kFirst * 5 / 4);
  EXPECT_FALSE(Backoff(0, 1).next());
}

}  // namespace
}  // namespace adoc
