#include "util/live_time.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace adoc {
namespace {

TEST(LiveTimeTest, WhatIsUnderWayCounts) {
  // Goal: a wait that has not ended is seen as long as it lasts, and counted once when it has.
  LiveTime time;
  EXPECT_EQ(time.seconds(5'000'000'000), 0);
  time.begin(1'000'000'000);
  EXPECT_DOUBLE_EQ(time.seconds(3'000'000'000), 2);
  time.end(4'000'000'000);
  EXPECT_DOUBLE_EQ(time.seconds(9'000'000'000), 3);
  time.begin(10'000'000'000);
  EXPECT_DOUBLE_EQ(time.seconds(11'000'000'000), 4);
  EXPECT_DOUBLE_EQ(time.seconds(9'000'000'000), 3) << "for who has looked at the clock before";
}

TEST(LiveTimeTest, AnEndWithoutABeginIsNothing) {
  // Goal: who ends what may have been ended by a failure needs not know.
  LiveTime time;
  time.end(7'000'000'000);
  EXPECT_EQ(time.seconds(8'000'000'000), 0);
}

TEST(LiveTimeTest, WhoAsksMeanwhileIsNeverToldTooMuch) {
  // Goal: between end and begin nothing is counted twice, whenever it is asked.
  LiveTime time;
  std::atomic<std::int64_t> now{0};
  std::atomic<bool> ended{false};
  std::jthread asking([&] {
    while (!ended) {
      const double seen = time.seconds(now);
      // What was done later than that is no more than the clock has gone on.
      EXPECT_LE(seen, static_cast<double>(now.load()) * 1e-9 + 1e-12);
    }
  });
  for (int i = 0; i < 20'000; ++i) {
    time.begin(now);
    now += 1'000;
    time.end(now);
  }
  ended = true;
  asking.join();
  EXPECT_NEAR(time.seconds(now), 0.02, 1e-9);
}

}  // namespace
}  // namespace adoc
