#include "pipeline/starving.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

/// Packets of a block, each with how long it took and how much of that the link had nothing.
class Packets {
 public:
  void come(double seconds, double dry_seconds) {
    now_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    starving_.follow(now_, dry_seconds);
  }
  [[nodiscard]] bool starve() const { return starving_.starves(); }

 private:
  Clock::time_point now_{};
  Starving starving_;
};

TEST(StarvingTest, ALinkThatWaitsNowAndThenGetsWhatTheBlockWasChosenFor) {
  // Goal: 128 KiB come every 40 ms as four packets, which keep the link for more than that every
  // other time, and for less in between.
  Packets packets;
  packets.come(0.2, 0.2);
  for (int i = 0; i < 50; ++i) {
    packets.come(0.04, i % 2 == 0 ? 0 : 0.04);
    EXPECT_FALSE(packets.starve()) << i;
    for (int more = 0; more < 3; ++more) packets.come(1e-4, 0);
  }
}

TEST(StarvingTest, ALinkThatGotFasterIsNotKeptWaitingForLong) {
  // Goal: it is seen within a few packets, however long it was busy before.
  Packets packets;
  for (int i = 0; i < 50; ++i) packets.come(0.04, 0);
  int count = 0;
  for (; count < 10 && !packets.starve(); ++count) packets.come(0.04, 0.038);
  EXPECT_LE(count, 4);
}

TEST(StarvingTest, WhatPassesBeforeTheFirstPacketWasForeseen) {
  // Goal: nor is a block cut for a moment.
  Packets packets;
  packets.come(1, 1);
  EXPECT_FALSE(packets.starve());
  packets.come(0.005, 0.005);
  EXPECT_FALSE(packets.starve());
  packets.come(0.02, 0.02);
  EXPECT_TRUE(packets.starve());
}

}  // namespace
}  // namespace adoc
