#include "control/auto/receiver_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adoc {
namespace {

constexpr double kMegabyte = 1e6;
constexpr int kDense = 1;
/// Of a level that is stored, and of one that is not.
const std::vector<double> kDecompressSeconds{0, 1e-9};

/// A receiver that is told of blocks, and says every 20 ms how it does.
class Receiver {
 public:
  explicit Receiver(double remembered = 0) : model_(kDecompressSeconds, {.overall = remembered}) {}

  /// Blocks arrive.
  void gets(double raw_bytes, int level = 0, double block_bytes = kMegabyte) {
    for (; raw_bytes > 0; raw_bytes -= block_bytes) {
      const double wire = level == 0 ? block_bytes : std::floor(block_bytes / 3);
      model_.learn(level, block_bytes, wire);
      link_.arrived_bytes += static_cast<std::uint64_t>(wire);
    }
    model_.see(link_);
  }
  /// It has written so much in so long, for a part of which its threads were at work, and for a
  /// part of which it did not read.
  void says(double written_bytes, double working, double stalled, double seconds = 20e-3) {
    link_.receiver.seconds += seconds;
    link_.receiver.decompressing_seconds += seconds * working;
    link_.receiver.written_bytes += written_bytes;
    link_.receiver.stalled_share = stalled;
    model_.see(link_);
  }
  /// Of a raw byte.
  [[nodiscard]] double raw() const { return model_.seconds_per_byte(0, 1); }
  [[nodiscard]] double dense() const { return model_.seconds_per_byte(kDense, 1.0 / 3); }
  /// One thread, to decompress a raw byte.
  [[nodiscard]] double decompressing() const {
    return model_.decompressing_seconds_per_byte(kDense, 1.0 / 3);
  }
  [[nodiscard]] bool ever_limited() const { return model_.pace().overall > 0; }

 private:
  ReceiverModel model_;
  LinkState link_{};
};

TEST(ReceiverModelTest, OneThatKeepsUpCostsNothing) {
  // Goal: what it could do if it had to is not known, so it counts for nothing.
  Receiver receiver;
  for (int i = 0; i < 100; ++i) {
    receiver.gets(2 * kMegabyte);
    receiver.says(2 * kMegabyte, 0.5, 0);
  }
  EXPECT_EQ(receiver.raw(), 0);
  EXPECT_EQ(receiver.dense(), 0);
}

TEST(ReceiverModelTest, OneThatDoesNotReadShowsWhatItCanDo) {
  // Goal: 100 MB/s of raw bytes are 10 ns each, within a fifth after 40 ms; dense ones take longer.
  Receiver receiver;
  receiver.gets(10 * kMegabyte);
  for (int i = 0; i < 2; ++i) {
    receiver.gets(2 * kMegabyte);
    receiver.says(2 * kMegabyte, 0, 0.9);
  }
  EXPECT_NEAR(receiver.raw() / 10e-9, 1, 0.2);
  EXPECT_GT(receiver.dense(), 1.5 * receiver.raw());
}

TEST(ReceiverModelTest, OneThatHasMoreToDoThanItDidLimits) {
  // Goal: before it stops reading.
  Receiver receiver;
  receiver.gets(20 * kMegabyte, kDense);
  receiver.says(2 * kMegabyte, 2, 0);
  EXPECT_FALSE(receiver.ever_limited()) << "it may have been out of luck for a moment";
  receiver.says(2 * kMegabyte, 2, 0);
  EXPECT_NEAR(receiver.dense() / 10e-9, 1, 0.2);
}

TEST(ReceiverModelTest, OneThatWaitsForSomethingElseIsNotSentLighterBlocks) {
  // Goal: a disk of 100 MB/s, or a directory of many files, takes as long at any level.
  Receiver receiver;
  receiver.gets(20 * kMegabyte, kDense);
  for (int i = 0; i < 10; ++i) {
    receiver.gets(2 * kMegabyte, kDense);
    receiver.says(2 * kMegabyte, 0.15, 0.9);
  }
  EXPECT_TRUE(receiver.ever_limited());
  EXPECT_LT(receiver.dense(), 3e-9);
}

TEST(ReceiverModelTest, OneThatGotALongBlockOverASlowLinkDoesNot) {
  // Goal: each block has just arrived when it says how it did with the one before, and yet it has
  // next to nothing to do.
  Receiver receiver;
  for (int i = 0; i < 10; ++i) {
    receiver.gets((i + 1) * kMegabyte, kDense, (i + 1) * kMegabyte);
    if (i != 0) receiver.says(i * kMegabyte, 0.01, 0, 2);
  }
  EXPECT_FALSE(receiver.ever_limited());
}

TEST(ReceiverModelTest, WhatIsWrittenLaterThanDecompressedTookNoLess) {
  // Goal: blocks that are decompressed in one interval and written in another took 10 ns a byte,
  // not none.
  Receiver receiver;
  for (int i = 0; i < 5; ++i) {
    receiver.gets(2 * kMegabyte, kDense);
    receiver.says(0, 1, 0);
    receiver.says(2 * kMegabyte, 0, 0);
    EXPECT_NEAR(receiver.decompressing() / 10e-9, 1, 0.1);
  }
}

TEST(ReceiverModelTest, ABlockOfNothingIsNothing) {
  // Goal: an empty block, as of an empty file, is not divided by.
  ReceiverModel model(kDecompressSeconds, {});
  LinkState link{};
  for (int i = 0; i < 3; ++i) {
    model.learn(kDense, 0, 0);
    model.learn(kDense, kMegabyte, kMegabyte / 2);
    link.arrived_bytes += static_cast<std::uint64_t>(kMegabyte / 2);
    link.receiver.seconds += 20e-3;
    link.receiver.decompressing_seconds += 20e-3;
    link.receiver.stalled_share = 0.9;
    model.see(link);
    link.receiver.seconds += 20e-3;
    link.receiver.decompressing_seconds += 20e-3;
    link.receiver.written_bytes += kMegabyte;
    model.see(link);
  }
  EXPECT_NEAR(model.seconds_per_byte(kDense, 0.5) / 20e-9, 1, 0.5);
}

TEST(ReceiverModelTest, WhatIsRememberedIsForgottenWhenItDoesMore) {
  // Goal: what it does shows what it can at least do; and if it never limits, it matters ever less.
  Receiver receiver(1'000);
  receiver.gets(2 * kMegabyte);
  receiver.says(2 * kMegabyte, 0.5, 0);
  EXPECT_LE(receiver.raw(), 10.1e-9);
  const double before = receiver.raw();
  for (int i = 0; i < 500; ++i) {
    receiver.gets(kMegabyte);
    receiver.says(kMegabyte, 0.3, 0);
  }
  EXPECT_LT(receiver.raw(), before / 20);
}

TEST(ReceiverModelTest, WhatVanishesIsLessToDoThanRaw) {
  // Goal: to take a byte from the connection takes longer than LZ4 takes to make one.
  const ReceiverModel model({0, 0.15e-9}, {.overall = 1});
  EXPECT_LT(model.seconds_per_byte(1, 0.01), model.seconds_per_byte(0, 1));
  EXPECT_GT(model.seconds_per_byte(1, 0.9), model.seconds_per_byte(0, 1));
}

TEST(ReceiverModelTest, WhatDoesNotShrinkIsAsRawAtAnyLevel) {
  // Goal: it is stored as it is.
  const ReceiverModel model(kDecompressSeconds, {.overall = 1});
  EXPECT_EQ(model.seconds_per_byte(kDense, 1), model.seconds_per_byte(0, 1));
}

}  // namespace
}  // namespace adoc
