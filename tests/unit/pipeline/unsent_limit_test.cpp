#include "pipeline/unsent_limit.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

/// What the limit becomes after ten seconds at this rate; none when it is never told.
std::optional<std::size_t> limit_at(UnsentLimit& unsent, std::size_t bytes_per_ms) {
  std::optional<std::size_t> latest;
  for (int ms = 0; ms < 10'000; ++ms)
    if (const auto limit = unsent.sent(bytes_per_ms, kMillisecond)) latest = limit;
  return latest;
}

TEST(UnsentLimitTest, TheSystemHoldsAFiftiethOfASecond) {
  // Goal: of the link's rate, within bounds: 32 KiB and 2 MiB.
  UnsentLimit gigabit;
  EXPECT_EQ(limit_at(gigabit, 125'000), 2U << 20);
  UnsentLimit tenth;
  EXPECT_EQ(limit_at(tenth, 12'500), 250'000U);
  UnsentLimit slow;
  EXPECT_EQ(limit_at(slow, 100), 32U << 10);
  UnsentLimit stopped;
  EXPECT_EQ(limit_at(stopped, 0), 32U << 10);
}

TEST(UnsentLimitTest, ItFollowsTheLinkWithinAFewHundredthsOfASecond) {
  // Goal: both ways, and a small change is not worth a system call.
  UnsentLimit unsent;
  EXPECT_EQ(limit_at(unsent, 12'500), 250'000U);
  EXPECT_EQ(limit_at(unsent, 13'500), std::nullopt);
  std::optional<std::size_t> limit;
  int ms = 0;
  while (!limit) {
    limit = unsent.sent(1'250, kMillisecond);
    ++ms;
  }
  EXPECT_LE(ms, 41);
  EXPECT_LT(*limit, 125'000U);
  for (ms = 0, limit.reset(); !limit; ++ms) limit = unsent.sent(125'000, kMillisecond);
  EXPECT_LE(ms, 41);
}

TEST(UnsentLimitTest, AWriteThatTookLongCountsWithItsTime) {
  // Goal: a link that stood still for ten seconds and took a little then is a slow one.
  UnsentLimit unsent;
  EXPECT_EQ(limit_at(unsent, 125'000), 2U << 20);
  EXPECT_EQ(unsent.sent(64 << 10, 10'000 * kMillisecond), 32U << 10);
}

}  // namespace
}  // namespace adoc
