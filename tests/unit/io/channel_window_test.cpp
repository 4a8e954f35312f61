#include "io/channel_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

namespace adoc {
namespace {

using std::chrono::milliseconds;

Clock::duration duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// A link with a made-up clock, behind a buffer that takes anything: what is sent leaves it at
/// `rate`, and is known to have arrived a round trip later.
class Link {
 public:
  struct Shape {
    double rate = 0;        ///< bytes a second
    double round_trip = 0;  ///< in seconds, without a queue
    double step = 50e-6;
  };

  explicit Link(const Shape& shape)
      : rate(shape.rate), round_trip(shape.round_trip), step_(shape.step) {}

  ChannelWindow window{};
  double rate;
  double round_trip;
  double pause = 0;      ///< whoever reads what has arrived has a processor only so often
  bool reads = true;     ///< the receiver
  bool has_much = true;  ///< the sender, to send
  std::uint64_t most_hidden = 0;
  std::uint64_t most_waiting = 0;  ///< that the window told

  [[nodiscard]] std::uint64_t waiting() const { return window.waiting(now_); }

  void run(double length) {
    const Clock::time_point end = now_ + duration(length);
    for (; now_ < end; now_ += duration(step_)) {
      while (has_much && send()) {
      }
      if (reads) left_ += rate * step_;
      const std::uint64_t left = std::min(static_cast<std::uint64_t>(left_), window.sent_bytes());
      if (left == window.sent_bytes()) left_ = static_cast<double>(left);  // it is idle
      most_hidden = std::max(most_hidden, window.on_the_way());
      most_waiting = std::max(most_waiting, waiting());
      acknowledgements_.push_back({left, now_ + duration(round_trip)});
      if (now_ < awake_at_) continue;
      awake_at_ = now_ + duration(pause);
      std::uint64_t arrived = window.arrived_bytes();
      while (!acknowledgements_.empty() && acknowledgements_.front().at <= now_) {
        arrived = acknowledgements_.front().bytes;
        acknowledgements_.pop_front();
      }
      // As the other side says it: not of every byte.
      if (arrived >= window.arrived_bytes() + 1'000) window.arrived(arrived, now_);
    }
  }

  bool send() {
    const std::uint64_t room = window.room();
    if (room == 0) {
      window.held_up();
      return false;
    }
    window.sent(window.sent_bytes() + std::min<std::uint64_t>(room, window.record_bytes()), now_);
    return true;
  }

  /// Bytes a second in which the next `length` arrives.
  double measured(double length) {
    const std::uint64_t before = window.arrived_bytes();
    run(length);
    return static_cast<double>(window.arrived_bytes() - before) / length;
  }

  [[nodiscard]] std::uint64_t bytes_of(double length) const {
    return static_cast<std::uint64_t>(rate * length);
  }

 private:
  struct Acknowledgement {
    std::uint64_t bytes;
    Clock::time_point at;
  };
  const double step_;
  Clock::time_point now_{std::chrono::hours(1)};
  Clock::time_point awake_at_ = now_;
  double left_ = 0;
  std::deque<Acknowledgement> acknowledgements_;
};

TEST(ChannelWindow, BeginsSmallAndFillsALinkInAFewRoundTrips) {
  // Goal: 100 Mbit/s over 200 ms: 2.5 MB on the way, from 128 KiB, in under two seconds.
  Link link({.rate = 12.5e6, .round_trip = 0.2});
  EXPECT_LE(link.window.bytes(), 128U << 10);
  link.run(1.6);
  EXPECT_GT(link.measured(1), 0.97 * link.rate);
  EXPECT_NEAR(link.window.bytes_per_second(), link.rate, 0.05 * link.rate);
  EXPECT_NEAR(link.window.shortest_round_trip(), link.round_trip, 0.05 * link.round_trip);
}

TEST(ChannelWindow, HidesLittleOfASlowLinkAndKeepsItBusy) {
  // Goal: 1 Mbit/s to 1 Gbit/s: what is on its way beside what the link holds is what was allowed,
  // or what it takes in the moment that a process may wait for a processor, and a quarter, also at
  // the start; and all of it but what that takes is told.
  for (const double rate : {125e3, 1.25e6, 12.5e6, 125e6}) {
    Link link({.rate = rate, .round_trip = 0.02});
    const std::size_t allowed = std::clamp<std::size_t>(link.bytes_of(0.02), 32 << 10, 256 << 10);
    link.window.allow_waiting(allowed);
    link.run(0.3);
    EXPECT_GT(link.measured(1), 0.97 * rate) << rate;
    link.most_hidden = 0;
    link.run(1);
    const std::size_t ahead = std::max<std::size_t>(allowed, link.bytes_of(0.005 * 1.4));
    EXPECT_LE(link.most_hidden, link.bytes_of(0.02 * 1.4) + ahead + 16'384) << rate;
    EXPECT_GE(link.waiting() + 12'288, link.most_hidden - link.bytes_of(0.028)) << rate;
  }
}

TEST(ChannelWindow, ProcessesThatWaitForAProcessorAreNotASlowLink) {
  // Goal: where all that carries the bytes runs every 5 ms only, the window grows until the link
  // never waits for that, and little of what is on its way is told to wait for the link.
  for (const double rate : {12.5e6, 125e6}) {
    Link link({.rate = rate, .round_trip = 0.2e-3});
    link.window.allow_waiting(256 << 10);
    link.pause = 5e-3;
    link.run(0.2);
    EXPECT_GT(link.measured(0.5), 0.95 * rate) << rate;
  }
  Link fast({.rate = 125e6, .round_trip = 0.2e-3});
  fast.window.allow_waiting(128 << 10);
  fast.pause = 5e-3;
  fast.run(0.1);
  fast.most_waiting = 0;
  fast.run(0.5);
  EXPECT_LT(fast.most_waiting, fast.bytes_of(0.003));
}

TEST(ChannelWindow, ALinkThatGetsFasterIsFilled) {
  // Goal: ten times the rate is found within two seconds, also over 50 ms.
  Link link({.rate = 2e6, .round_trip = 0.05});
  link.run(2);
  link.rate = 20e6;
  link.run(2);
  EXPECT_GT(link.measured(0.5), 0.95 * link.rate);
}

TEST(ChannelWindow, ALinkThatGetsSlowerIsToldAtOnceAndFollowed) {
  // Goal: what waits shows within two of its own round trips, and the window shrinks behind it.
  Link link({.rate = 20e6, .round_trip = 0.05});
  link.run(2);
  link.rate = 2e6;
  link.run(0.2);
  link.run(1.4);
  EXPECT_GT(link.waiting(), link.window.on_the_way() / 2);
  link.run(6);
  EXPECT_NEAR(link.window.bytes_per_second(), link.rate, 0.1 * link.rate);
  EXPECT_LE(link.window.on_the_way(), link.bytes_of(0.05 * 1.4) + (160 << 10));
  EXPECT_GT(link.measured(1), 0.9 * link.rate);
}

TEST(ChannelWindow, AReceiverThatPausesDoesNotShrinkIt) {
  // Goal: five seconds without reading say nothing of the link, which is as fast as before at once.
  Link link({.rate = 12.5e6, .round_trip = 0.1});
  link.run(3);
  link.reads = false;
  link.run(5);
  link.reads = true;
  link.run(0.3);
  EXPECT_GT(link.measured(0.5), 0.9 * link.rate);
}

TEST(ChannelWindow, ASenderWithLittleToSendDoesNotShrinkIt) {
  // Goal: of seconds in which only some keep-alives are sent no rate is learned; then all at once.
  Link link({.rate = 12.5e6, .round_trip = 0.1});
  link.run(3);
  link.has_much = false;
  for (int i = 0; i < 30; ++i) {
    link.run(0.2);
    EXPECT_EQ(link.waiting(), 0U);
    EXPECT_TRUE(link.send());
  }
  link.has_much = true;
  link.run(0.25);
  EXPECT_GT(link.measured(0.5), 0.9 * link.rate);
}

TEST(ChannelWindow, TenGigabitsAcrossLoopbackPassWithoutALongRoundTrip) {
  // Goal: a link that takes no time is filled, with no more than what processes may deal with late.
  Link link({.rate = 1.25e9, .round_trip = 50e-6, .step = 5e-6});
  link.window.allow_waiting(256 << 10);
  link.run(0.05);
  EXPECT_GT(link.measured(0.05), 0.97 * link.rate);
  EXPECT_LE(link.window.bytes(), 3U << 19);
}

TEST(ChannelWindow, ALongerWayIsFoundOut) {
  // Goal: the shortest round trip is measured again now and then, with nothing waiting.
  Link link({.rate = 12.5e6, .round_trip = 0.02});
  link.run(3);
  link.round_trip = 0.08;
  link.run(14);
  EXPECT_NEAR(link.window.shortest_round_trip(), 0.08, 0.01);
  EXPECT_GT(link.measured(1), 0.95 * link.rate);
}

TEST(ChannelWindow, NothingIsSentTwiceWhereNothingCouldBeSent) {
  // Goal: what was taken back leaves no trace, also where it had joined what was sent before.
  ChannelWindow window;
  const Clock::time_point now{std::chrono::hours(1)};
  window.sent(1'000, now);
  window.sent(3'000, now + milliseconds(1));
  window.take_back(1'000);
  EXPECT_EQ(window.on_the_way(), 1'000U);
  window.arrived(1'000, now + milliseconds(10));
  EXPECT_DOUBLE_EQ(window.shortest_round_trip(), 0.01);
  window.take_back(1'000);
  EXPECT_EQ(window.on_the_way(), 0U);
  for (int i = 1; i <= 5'000; ++i) window.sent(1'000 + static_cast<std::uint64_t>(i), now);
  window.take_back(5'999);
  window.arrived(5'999, now + milliseconds(20));
  EXPECT_EQ(window.on_the_way(), 0U);
}

}  // namespace
}  // namespace adoc
