#include "transfer/descriptor_plan.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"

namespace adoc {
namespace {

TEST(DescriptorPlanTest, TheSumIsNeverMoreThanThereAre) {
  // Goal: for any limit there is one transfer and room for others to come, or a clear word.
  std::size_t least = 0;
  while (true) {
    try {
      static_cast<void>(plan_descriptors(least, 32));
      break;
    } catch (const Error&) {
      ++least;
    }
  }
  EXPECT_LT(least, 50U);
  testkit::expect_error(ErrorKind::usage, "ulimit -n",
                        [&] { static_cast<void>(plan_descriptors(least - 1, 32)); });
  for (std::size_t free = least; free < 5'000; ++free) {
    for (const std::size_t most : {1U, 32U, 1'024U}) {
      const DescriptorPlan plan = plan_descriptors(free, most);
      ASSERT_GE(plan.transfers, 1U);
      ASSERT_LE(plan.transfers, most);
      ASSERT_GE(plan.guests, 4U);
      ASSERT_GE(plan.waiting, 2U);
      // A connection takes two, a transfer 24.
      ASSERT_LE(2 * (plan.guests + plan.waiting) + 24 * plan.transfers + plan.files, free);
    }
  }
  EXPECT_EQ(plan_descriptors(1'000'000, 32).transfers, 32U);
}

}  // namespace
}  // namespace adoc
