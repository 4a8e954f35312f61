#include "pipeline/memory_budget.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/expect_error.hpp"

namespace adoc {
namespace {

TEST(MemoryBudgetTest, WhoAsksForMoreThanIsLeftWaitsUntilItIsGivenBack) {
  // Goal: the parts that are out are never more than there is; more than there ever is means all.
  MemoryBudget budget(10);
  std::unique_ptr<MemoryBudget::Part> first(new MemoryBudget::Part(budget.take(6)));
  std::atomic<bool> has_it = false;
  std::jthread other([&] {
    const auto all = budget.take(SIZE_MAX);
    has_it = true;
  });
  while (budget.waiting() != 1) std::this_thread::yield();
  EXPECT_FALSE(has_it);
  first.reset();
  other.join();
  EXPECT_TRUE(has_it);
  const auto again = budget.take(10);
}

TEST(MemoryBudgetTest, OneWhoWaitsForMuchIsNotPassedBy) {
  // Goal: threads that take little again and again would keep a large block waiting for ever.
  MemoryBudget budget(10);
  std::unique_ptr<MemoryBudget::Part> first(new MemoryBudget::Part(budget.take(6)));
  std::atomic<int> order = 0;
  int large = 0;
  int small = 0;
  std::jthread waits_for_much([&] {
    const auto part = budget.take(9);
    large = ++order;
  });
  while (budget.waiting() != 1) std::this_thread::yield();
  std::jthread wants_little([&] {
    const auto part = budget.take(4);
    small = ++order;
  });
  while (budget.waiting() != 2) std::this_thread::yield();
  EXPECT_EQ(order, 0);
  first.reset();
  waits_for_much.join();
  wants_little.join();
  EXPECT_EQ(large, 1);
  EXPECT_EQ(small, 2);
}

TEST(MemoryBudgetTest, AFailureWakesThoseThatWait) {
  // Goal: a transfer that has failed keeps nobody.
  MemoryBudget budget(10);
  const auto all = budget.take(10);
  std::jthread waits([&] {
    testkit::expect_error(ErrorKind::connect, "gone", [&] { static_cast<void>(budget.take(1)); });
  });
  while (budget.waiting() != 1) std::this_thread::yield();
  budget.fail(std::make_exception_ptr(Error(ErrorKind::connect, "gone")));
  waits.join();
  testkit::expect_error(ErrorKind::connect, "gone", [&] { static_cast<void>(budget.take(1)); });
}

}  // namespace
}  // namespace adoc
