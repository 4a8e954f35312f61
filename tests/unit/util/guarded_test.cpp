#include "util/guarded.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace adoc {
namespace {

TEST(GuardedTest, OneThreadAtATimeChangesTheValue) {
  // Goal: no change is lost where several threads make them at once.
  constexpr int kThreads = 4;
  constexpr int kTimes = 10'000;
  Guarded<int> sum;
  {
    std::latch begin(kThreads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        begin.arrive_and_wait();
        for (int n = 0; n < kTimes; ++n) ++*sum.lock();
      });
  }
  EXPECT_EQ(*std::as_const(sum).lock(), kThreads * kTimes);
}

TEST(GuardedTest, WhoWaitsGivesTheValueBackAndSeesTheChange) {
  // Goal: another thread gets at the value while one waits for what it will do with it.
  Guarded<std::string> word("none");
  std::latch waits(1);
  std::jthread waiting([&] {
    auto lent = word.lock();
    waits.count_down();
    lent.wait([&] { return *lent != "none"; });
    EXPECT_EQ(*lent, "some");
    lent->append(" more");
  });
  waits.wait();
  {
    // Lent here only once it is given back there.
    const auto lent = word.lock();
    EXPECT_EQ(*lent, "none");
    *lent = "some";
    word.wake_one();
  }
  waiting.join();
  EXPECT_EQ(*word.lock(), "some more");
}

TEST(GuardedTest, WhoOnlyTriesDoesNotWait) {
  // Goal: what somebody else has is not waited for, and what nobody has is lent.
  Guarded<int> number(1);
  {
    const auto lent = number.lock();
    std::jthread([&] { EXPECT_FALSE(number.try_lock()); }).join();
  }
  const auto lent = number.try_lock();
  ASSERT_TRUE(lent);
  EXPECT_EQ(**lent, 1);
}

}  // namespace
}  // namespace adoc
