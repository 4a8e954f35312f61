#include "util/silence.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SilenceTest : public ::testing::Test {
 protected:
  Clock::time_point now_ = Clock::now();
};

TEST_F(SilenceTest, IsOverAfterItsLimit) {
  // Goal: the last wait is as long as is left, and what is done between waits counts.
  Silence silence(milliseconds(2'500), now_);
  EXPECT_FALSE(silence.is_over(now_));
  EXPECT_EQ(silence.wait(), seconds(1));
  EXPECT_FALSE(silence.is_over(now_ += seconds(1)));
  EXPECT_FALSE(silence.is_over(now_ += milliseconds(1'200)));
  EXPECT_EQ(silence.wait(), milliseconds(300));
  EXPECT_TRUE(silence.is_over(now_ += milliseconds(300)));
}

TEST_F(SilenceTest, WhoStoodStillBeginsAnew) {
  // Goal: a process that was stopped did not listen; one that was a little late did.
  Silence silence(seconds(3), now_);
  EXPECT_FALSE(silence.is_over(now_ += milliseconds(1'900)));
  EXPECT_FALSE(silence.is_over(now_ += seconds(60)));
  EXPECT_FALSE(silence.is_over(now_ += milliseconds(1'900)));
  EXPECT_TRUE(silence.is_over(now_ += milliseconds(1'100)));
}

TEST_F(SilenceTest, ZeroIsForEver) {
  // Goal: without a limit it is never over.
  Silence silence(seconds(0), now_);
  EXPECT_FALSE(silence.is_over(now_ += seconds(1)));
  EXPECT_FALSE(silence.is_over(now_ += std::chrono::hours(24)));
  EXPECT_GT(silence.wait(), seconds(0));
}

}  // namespace
}  // namespace adoc
