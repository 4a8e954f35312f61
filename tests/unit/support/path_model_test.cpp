#include "support/path_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace adoc::testkit {
namespace {

constexpr double kBytesPerSecond = 1e6;
constexpr std::size_t kPacket = 1'000;
constexpr double kPacketSeconds = kPacket / kBytesPerSecond;

PathSetup path(double delay_seconds = 0) {
  return {.rate = {{0, kBytesPerSecond}}, .delay_seconds = delay_seconds};
}

TEST(PathModelTest, APacketTakesItsTimeAtTheBottleneckAndTheDelay) {
  PathModel model(path(0.04));
  EXPECT_DOUBLE_EQ(model.pass(2, kPacket).value(), 2 + kPacketSeconds + 0.04);
}

TEST(PathModelTest, WhatComesFasterThanTheRateWaitsInOrder) {
  // Goal: the bottleneck carries its rate, however the packets come.
  PathModel model(path());
  for (int i = 1; i <= 100; ++i)
    EXPECT_NEAR(model.pass(0, kPacket).value(), i * kPacketSeconds, 1e-9);
  EXPECT_NEAR(model.queued(0), 100.0 * kPacket, 1e-6);
  EXPECT_NEAR(model.queued(0.04), 60.0 * kPacket, 1e-6);
}

TEST(PathModelTest, AFullQueueDropsWhatComes) {
  PathSetup setup = path();
  setup.queue_bytes = 5.0 * kPacket;
  PathModel model(setup);
  int arrived = 0;
  for (int i = 0; i < 20; ++i) arrived += model.pass(0, kPacket).has_value() ? 1 : 0;
  EXPECT_EQ(arrived, 5);
  EXPECT_EQ(model.dropped(), 15U);
  EXPECT_TRUE(model.pass(kPacketSeconds, kPacket)) << "one has left meanwhile";
}

TEST(PathModelTest, AsManyAreLostAsTheChanceSays) {
  PathSetup setup = path();
  setup.loss = 0.01;
  PathModel model(setup);
  constexpr int kPackets = 100'000;
  for (int i = 0; i < kPackets; ++i) static_cast<void>(model.pass(i * kPacketSeconds, kPacket));
  EXPECT_NEAR(static_cast<double>(model.lost()) / kPackets, 0.01, 0.002);
  EXPECT_EQ(model.passed() + model.lost(), static_cast<std::uint64_t>(kPackets));
}

TEST(PathModelTest, APolicerDropsWhatIsMoreThanABurstAheadOfItsRate) {
  // Goal: a burst passes at the path's rate, what is over is dropped, not queued, and what comes at
  // the policer's rate passes.
  PathSetup setup = path();
  setup.policer = Policer{.bytes_per_second = kBytesPerSecond / 10, .burst_bytes = 5.0 * kPacket};
  PathModel model(setup);
  for (int i = 1; i <= 5; ++i)
    EXPECT_NEAR(model.pass(0, kPacket).value(), i * kPacketSeconds, 1e-9);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(model.pass(0, kPacket));
  EXPECT_EQ(model.policed(), 7U);
  EXPECT_EQ(model.dropped() + model.lost(), 0U);
  for (int i = 1; i <= 20; ++i)
    EXPECT_NEAR(model.pass(10.5 * i * kPacketSeconds, kPacket).value(),
                (10.5 * i + 1) * kPacketSeconds, 1e-9);
  EXPECT_EQ(model.passed(), 25U);
  int burst = 0;
  for (int i = 0; i < 20; ++i) burst += model.pass(1, kPacket) ? 1 : 0;
  EXPECT_EQ(burst, 5) << "the bucket holds no more";
}

TEST(PathModelTest, SomeAreOvertaken) {
  PathSetup setup = path(0.01);
  setup.reordering = 0.1;
  setup.reordering_seconds = 3 * kPacketSeconds;
  PathModel model(setup);
  std::vector<double> arrivals;
  for (int i = 0; i < 1'000; ++i)
    arrivals.push_back(model.pass(i * kPacketSeconds, kPacket).value());
  EXPECT_FALSE(std::ranges::is_sorted(arrivals));
}

TEST(PathModelTest, TheRateStepsAlsoWhileAPacketIsOnItsWay) {
  PathSetup setup = path();
  setup.rate = {{0, kBytesPerSecond}, {1, kBytesPerSecond / 10}, {2, 0}, {3, kBytesPerSecond}};
  PathModel model(setup);
  EXPECT_DOUBLE_EQ(model.pass(1, kPacket).value(), 1 + 10 * kPacketSeconds);
  EXPECT_NEAR(model.pass(1.995, kPacket).value(), 3 + 0.5 * kPacketSeconds, 1e-9)
      << "half of it before the path stops for a second";
}

TEST(PathModelTest, APathThatHasStoppedForEverLosesAll) {
  PathSetup setup = path();
  setup.rate = {{0, kBytesPerSecond}, {1, 0}};
  PathModel model(setup);
  EXPECT_TRUE(model.pass(0.5, kPacket));
  EXPECT_FALSE(model.pass(1.5, kPacket));
}

TEST(PathModelTest, TheSameSeedIsTheSameFate) {
  PathSetup setup = path(0.02);
  setup.loss = 0.05;
  setup.reordering = 0.05;
  setup.reordering_seconds = 0.01;
  PathModel one(setup);
  PathModel same(setup);
  setup.seed = 2;
  PathModel other(setup);
  bool differs = false;
  for (int i = 0; i < 1'000; ++i) {
    const auto arrival = one.pass(i * kPacketSeconds, kPacket);
    EXPECT_EQ(arrival, same.pass(i * kPacketSeconds, kPacket));
    differs = differs || arrival != other.pass(i * kPacketSeconds, kPacket);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace adoc::testkit
