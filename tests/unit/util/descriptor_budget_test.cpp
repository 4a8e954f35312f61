#include "util/descriptor_budget.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace adoc {
namespace {

TEST(DescriptorBudgetTest, NoMoreAreGivenOutThanThereAre) {
  // Goal: what is taken is missing until it is given back, whoever moves it, also among threads.
  DescriptorBudget budget(5);
  auto first = budget.try_take(2);
  auto second = budget.try_take(2);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(budget.try_take(2));
  EXPECT_TRUE(budget.try_take(1));
  first = std::move(second);
  EXPECT_TRUE(budget.try_take(3));
  EXPECT_FALSE(budget.try_take(4));
  first.give_back();
  first.give_back();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 10'000; ++round) static_cast<void>(budget.try_take(2));
    });
  threads.clear();
  EXPECT_TRUE(budget.try_take(5));
  EXPECT_FALSE(budget.try_take(6));
}

}  // namespace
}  // namespace adoc
