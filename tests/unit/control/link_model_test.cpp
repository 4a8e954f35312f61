#include "control/auto/link_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace adoc {
namespace {

/// A link of some rate that is looked at every millisecond.
class Link {
 public:
  explicit Link(double bytes_per_second) : rate_(bytes_per_second) { see(); }

  /// The system always holds something to send; arrivals are seen in steps of so many bytes.
  void busy(double seconds, double step_bytes = 1) {
    for (const double end = state_.seconds + seconds - 1e-9; state_.seconds < end;) {
      arrived_ += rate_ * kLook;
      look(std::floor(arrived_ / step_bytes) * step_bytes, 200'000 + 3 * rate_ * kLook);
    }
  }
  /// The system holds nothing, but so many bytes have yet to pass a queue on the way.
  void queue_on_the_way(double seconds, double bytes) {
    state_.overdue_bytes = static_cast<std::uint64_t>(bytes);
    for (const double end = state_.seconds + seconds - 1e-9; state_.seconds < end;) {
      arrived_ += rate_ * kLook;
      look(arrived_, 0, bytes);
    }
    state_.overdue_bytes = 0;
  }
  /// A limit that the user set lets pass no more.
  void limited(double seconds) {
    state_.held_back = true;
    waiting(seconds, rate_);
    state_.held_back = false;
  }
  /// The sender gives it less than it takes.
  void waiting(double seconds, double bytes_per_second) {
    for (const double end = state_.seconds + seconds - 1e-9; state_.seconds < end;) {
      arrived_ += bytes_per_second * kLook;
      look(arrived_, 0);
    }
  }
  /// A shaper lets so much pass at once.
  void burst(double bytes) {
    arrived_ += bytes;
    look(arrived_, 200'000);
  }
  void idle(double seconds) {
    state_.seconds += seconds;
    look(arrived_, 0);
  }
  /// All threads stand still while the system sends what it holds; whoever goes on first knows of
  /// the link what was asked before.
  void threads_pause(double seconds) {
    state_.seconds += seconds;
    state_.age_seconds = seconds;
    see();
    state_.age_seconds = 0;
    arrived_ += static_cast<double>(state_.unsent_bytes);
    look(arrived_, 200'000);
  }
  void set_rate(double bytes_per_second) { rate_ = bytes_per_second; }
  void receiver_stalls(double share) { state_.receiver.stalled_share = share; }
  void slow_start(bool begins) { state_.in_slow_start = begins; }

  [[nodiscard]] double thought() { return std::exp(model_.rate().log_mean()); }
  [[nodiscard]] double deviation() { return model_.rate().log_deviation(); }

 private:
  static constexpr double kLook = 1e-3;

  void look(double arrived, double unsent, double away = 0) {
    state_.seconds += kLook;
    state_.arrived_bytes = std::max(state_.arrived_bytes, static_cast<std::uint64_t>(arrived));
    state_.sent_bytes = static_cast<std::uint64_t>(arrived_ + away);
    state_.unsent_bytes = static_cast<std::uint64_t>(unsent);
    state_.ready_bytes = state_.queued_bytes = state_.unsent_bytes;
    see();
  }
  void see() { model_.see(state_); }

  LinkModel model_;
  LinkState state_{};
  double rate_;
  double arrived_ = 0;
};

TEST(LinkModelTest, ABusyLinkShowsItsRate) {
  // Goal: within 15 % after what a shaper may let pass at once, and a few measurements.
  for (const double rate : {1.25e6, 12.5e6, 125e6, 1.25e9}) {
    Link link(rate);
    link.busy(std::max(0.1, 1e6 / rate));
    EXPECT_NEAR(link.thought() / rate, 1, 0.15) << rate;
    EXPECT_LT(link.deviation(), 0.3) << rate;
  }
}

TEST(LinkModelTest, AQueueOnTheWayKeepsALinkBusy) {
  // Goal: it shows the link's rate, also where TCP says that a slow start goes on.
  for (const bool slow_start : {false, true}) {
    Link link(1.25e6);
    link.slow_start(slow_start);
    link.queue_on_the_way(0.5, 60'000);
    EXPECT_NEAR(link.thought() / 1.25e6, 1, 0.15) << slow_start;
    EXPECT_LT(link.deviation(), 0.3) << slow_start;
  }
}

TEST(LinkModelTest, AUsersLimitIsTheRateOfTheLink) {
  // Goal: it holds back what waits here, and the system has nothing to send.
  Link link(3e6);
  link.limited(0.5);
  EXPECT_NEAR(link.thought() / 3e6, 1, 0.15);
  EXPECT_LT(link.deviation(), 0.3);
}

TEST(LinkModelTest, ArrivalsInStepsAreNoBurstsAndNoPauses) {
  // Goal: 64 KiB each 52 ms are 1.25 MB/s.
  Link link(1.25e6);
  link.busy(1.5, 65'536);
  EXPECT_NEAR(link.thought() / 1.25e6, 1, 0.2);
}

TEST(LinkModelTest, WhatPassesWhileItWaitsIsTheLeastThatItCan) {
  Link link(1e9);
  link.waiting(0.2, 100e6);
  EXPECT_GT(link.thought(), 90e6);
  EXPECT_GT(link.deviation(), 0.5) << "it may be any faster";
}

TEST(LinkModelTest, ABurstIsNotARate) {
  // Goal: what a shaper lets pass at once does not make a slow link look fast.
  Link link(1.25e6);
  link.burst(100'000);
  link.busy(0.15);
  EXPECT_LT(link.thought(), 3e6);
}

TEST(LinkModelTest, AThreadThatStoodStillDoesNotTakeTheLinkForSlow) {
  // Goal: under a quota all threads stand still for 15 of each 20 ms.
  Link link(125e6);
  link.busy(0.3);
  for (int i = 0; i < 20; ++i) {
    link.threads_pause(15e-3);
    EXPECT_GT(link.thought(), 60e6);
    link.busy(5e-3);
  }
  EXPECT_GT(link.thought(), 60e6);
}

TEST(LinkModelTest, FollowsALinkThatChanges) {
  // Goal: by a hundred, either way, within 0.3 s.
  Link link(125e6);
  link.busy(1);
  link.set_rate(1.25e6);
  link.busy(0.3);
  EXPECT_NEAR(link.thought() / 1.25e6, 1, 0.4);
  link.set_rate(125e6);
  link.busy(0.3);
  EXPECT_NEAR(link.thought() / 125e6, 1, 0.4);
}

TEST(LinkModelTest, AReceiverThatDoesNotReadIsNotASlowLink) {
  Link link(125e6);
  link.busy(0.5);
  link.set_rate(5e6);
  link.receiver_stalls(0.9);
  link.busy(0.5);
  EXPECT_GT(link.thought(), 80e6);
}

TEST(LinkModelTest, WhatTheWindowOfASlowStartLetsThroughIsTheLeastThatItCan) {
  // Goal: a fast link far away is not taken for a slow one before it has begun.
  Link link(1e6);
  link.slow_start(true);
  for (const double rate : {1e6, 2e6, 4e6}) {
    link.set_rate(rate);
    link.busy(0.1);
  }
  EXPECT_GT(link.thought(), 20e6);
  EXPECT_GT(link.deviation(), 0.5);
  link.slow_start(false);
  link.set_rate(8e6);
  link.busy(0.3);
  EXPECT_NEAR(link.thought() / 8e6, 1, 0.1);
}

TEST(LinkModelTest, NothingIsLearnedOfALinkThatNothingIsSentOver) {
  Link link(125e6);
  link.idle(0.01);
  EXPECT_NEAR(link.deviation(), RateBelief().log_deviation(), 0.05);
}

}  // namespace
}  // namespace adoc
