#include "control/raw_patience.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

constexpr double kTolerance = 1e-12;

TEST(RawPatience, IsNoneBeforeTheSpeedOfLevelOneIsKnown) {
  // Goal: until then the paper's law decides alone.
  RawPatience patience;
  EXPECT_EQ(patience.earn(8'192), 0);
  EXPECT_EQ(patience.earn(8'192), 0);
}

TEST(RawPatience, EachPacketEarnsWhatLevelOneWouldHaveTaken) {
  // Goal: 8,192 bytes at 1 us for 1,000 bytes are 8.192 us, and the quickest block sets the speed.
  RawPatience patience;
  patience.compressed(2e-3, 1'000'000);
  patience.compressed(1e-3, 1'000'000);
  patience.compressed(5e-3, 1'000'000);
  EXPECT_NEAR(patience.earn(8'192), 8.192e-6, kTolerance);
  EXPECT_NEAR(patience.earn(8'192), 2 * 8.192e-6, kTolerance);
}

TEST(RawPatience, LastsOnALinkFasterThanLevelOneAndEndsOnASlowerOne) {
  // Goal: waiting less than what is earned never uses it up, waiting more does, after a few
  // packets.
  RawPatience fast;
  fast.compressed(1e-3, 1'000'000);
  for (int packet = 0; packet < 10'000; ++packet) {
    const double allowed = fast.earn(8'192);
    ASSERT_GE(allowed, 5e-6);
    fast.spend(5e-6);
  }
  RawPatience slow = fast;
  int packets = 0;
  for (; packets < 10'000; ++packets) {
    const double allowed = slow.earn(8'192);
    if (allowed < 100e-6) break;
    slow.spend(100e-6);
  }
  EXPECT_LT(packets, 10);
}

TEST(RawPatience, IsBoundedHoweverLongTheLinkWasFast) {
  // Goal: 64 packets' worth and no more, so that a link that gets slow is noticed soon.
  RawPatience patience;
  patience.compressed(1e-3, 1'000'000);
  double allowed = 0;
  for (int packet = 0; packet < 1'000; ++packet) allowed = patience.earn(8'192);
  EXPECT_NEAR(allowed, 64 * 8.192e-6, kTolerance);
}

}  // namespace
}  // namespace adoc
