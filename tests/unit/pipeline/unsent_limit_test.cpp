#include "pipeline/unsent_limit.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

/// A link over which bytes arrive, and the limit that follows it.
class Link {
 public:
  std::optional<std::size_t> sends(std::size_t bytes, std::int64_t busy_ns = kMillisecond) {
    bytes_ += bytes;
    return unsent_.passed(busy_ns) ? unsent_.arrived(bytes_) : std::nullopt;
  }
  /// What the limit becomes after ten seconds at this rate; none when it is never told.
  std::optional<std::size_t> limit_at(std::size_t bytes_per_ms) {
    std::optional<std::size_t> latest;
    for (int ms = 0; ms < 10'000; ++ms)
      if (const auto limit = sends(bytes_per_ms)) latest = limit;
    return latest;
  }

 private:
  UnsentLimit unsent_;
  std::uint64_t bytes_ = 0;
};

TEST(UnsentLimitTest, TheSystemHoldsAFiftiethOfASecond) {
  // Goal: of the link's rate, within bounds: 32 KiB and 256 KiB.
  Link gigabit;
  EXPECT_EQ(gigabit.limit_at(125'000), 256U << 10);
  Link tenth;
  EXPECT_EQ(tenth.limit_at(12'500), 250'000U);
  Link slow;
  EXPECT_EQ(slow.limit_at(100), 32U << 10);
  Link stopped;
  EXPECT_EQ(stopped.limit_at(0), 32U << 10);
}

TEST(UnsentLimitTest, ItFollowsTheLinkWithinAFewHundredthsOfASecond) {
  // Goal: both ways, and a small change is not worth a system call.
  Link link;
  EXPECT_EQ(link.limit_at(12'500), 250'000U);
  EXPECT_EQ(link.limit_at(13'500), std::nullopt);
  std::optional<std::size_t> limit;
  int ms = 0;
  while (!limit) {
    limit = link.sends(1'250, kMillisecond);
    ++ms;
  }
  EXPECT_LE(ms, 41);
  EXPECT_LT(*limit, 125'000U);
  for (ms = 0, limit.reset(); !limit; ++ms) limit = link.sends(125'000, kMillisecond);
  EXPECT_LE(ms, 41);
}

TEST(UnsentLimitTest, AWriteThatTookLongCountsWithItsTime) {
  // Goal: a link that stood still for ten seconds and took a little then is a slow one.
  Link link;
  EXPECT_EQ(link.limit_at(125'000), 256U << 10);
  EXPECT_EQ(link.sends(64 << 10, 10'000 * kMillisecond), 32U << 10);
}

}  // namespace
}  // namespace adoc
