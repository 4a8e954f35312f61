#include "control/link_rate.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace adoc {
namespace {

/// A link of a given rate that is seen every so often, and a sender that gives it bytes.
class Link {
 public:
  explicit Link(double rate) : rate_(rate) {}
  /// One that is remembered at another rate, perhaps.
  Link(double rate, double remembered) : rate_(rate), seen_(remembered) {}

  /// For a while: the system always has `unsent` bytes left, and the FIFO `ready` more.
  void sends(double seconds, double unsent = 64e3, double ready = 64e3) {
    for (const double end = now_ + seconds; now_ < end;) {
      now_ += kStep;
      sent_ += rate_ * kStep;
      see(unsent, ready);
    }
  }
  /// For a while: it takes all there is at once, which is so much a second.
  void idles(double seconds, double bytes_per_second) {
    for (const double end = now_ + seconds; now_ < end;) {
      now_ += kStep;
      sent_ += bytes_per_second * kStep;
      see(0, 0);
    }
  }
  /// For a while, over and over: it takes `bytes` from the system and then waits, since all threads
  /// stand still, until those come back for a moment.
  void stalls(double seconds, double pause, double bytes) {
    for (const double end = now_ + seconds; now_ < end;) {
      now_ += kStep;
      see(bytes, 1e6, false);
      now_ += pause;
      sent_ += bytes;
      see(bytes, 1e6, false);
    }
  }
  /// For a while nobody sends, although there is something.
  void starves(double seconds, double ready) {
    for (const double end = now_ + seconds; now_ < end;) {
      now_ += kStep;
      see(0, ready);
    }
  }
  /// For a while it takes so much a second, seen only each time that it just got something.
  void trickles(double seconds, double bytes_per_second) {
    constexpr double kBetween = 10e-3;
    for (const double end = now_ + seconds; now_ < end;) {
      now_ += kBetween;
      sent_ += bytes_per_second * kBetween;
      see(30e3, 0);
    }
  }
  /// For a while: it takes all there is at once, and what it has yet to send waits on its way.
  void queues(double seconds, double queued) {
    on_its_way_ = queued;
    queue_seconds_ = queued / rate_;
    sent_ += queued;
    for (const double end = now_ + seconds; now_ < end;) {
      now_ += kStep;
      sent_ += rate_ * kStep;
      see(0, 0);
    }
  }
  /// For a while: it is given so much a second, which waits behind what others send.
  void shares_a_queue(double seconds, double bytes_per_second, double queue_seconds) {
    const double waiting = bytes_per_second * queue_seconds;
    sent_ += std::max(0.0, waiting - on_its_way_);
    on_its_way_ = waiting;
    queue_seconds_ = queue_seconds;
    for (const double end = now_ + seconds; now_ < end;) {
      now_ += kStep;
      sent_ += bytes_per_second * kStep;
      see(0, 0);
    }
  }
  void takes_at_once(double bytes) { sent_ += bytes; }
  /// It takes all of it at once and sends it at its rate, while there is nothing else to send.
  void sends_a_piece(double bytes) {
    sent_ += bytes;
    for (on_its_way_ = bytes; on_its_way_ > 0;) {
      now_ += kStep;
      on_its_way_ = std::max(0.0, on_its_way_ - rate_ * kStep);
      queue_seconds_ = on_its_way_ / rate_;
      see(0, 0);
    }
  }
  /// For a while, one piece at a time: a shaper lets pass at once what it has saved up meanwhile,
  /// and the rest at its rate, with the system's last bytes still to be sent; then it waits.
  void shapes_pieces(double seconds, double bytes, double saves_up, double waits) {
    for (const double end = now_ + seconds; now_ < end;) {
      double left = bytes - saves_up;
      sent_ += saves_up;
      see(left, 0);
      while (left > 0) {
        now_ += kStep;
        const double passed = std::min(left, rate_ * kStep);
        sent_ += passed;
        left -= passed;
        see(left, 0);
      }
      idles(waits, 0);
    }
  }
  void changes_to(double rate) { rate_ = rate; }
  /// From now on its other end says that it does not read for this part of the time.
  void ends_at_one_that_stalls(double share) { stalled_share_ = share; }

  [[nodiscard]] double thought() const { return seen_.bytes_per_second(); }
  [[nodiscard]] bool known() const { return seen_.known(); }
  [[nodiscard]] bool kept() const { return seen_.kept(); }
  [[nodiscard]] std::optional<double> lately() const { return seen_.lately(); }

 private:
  static constexpr double kStep = 0.5e-3;

  void see(double unsent, double ready, bool served = true) {
    const auto bytes = [](double value) { return static_cast<std::uint64_t>(value); };
    seen_.see({.seconds = now_,
               .sent_bytes = bytes(sent_),
               .arrived_bytes = bytes(sent_ - on_its_way_),
               .unsent_bytes = bytes(unsent),
               .ready_bytes = bytes(unsent + ready),
               .queued_bytes = bytes(unsent + ready),
               .queue_seconds = queue_seconds_,
               .receiver = report()},
              served);
  }

  ReceiverReport report() {
    if (now_ >= report_.seconds + kReportSeconds)
      report_ = {.stalled_share = stalled_share_, .seconds = report_.seconds + kReportSeconds};
    return report_;
  }

  static constexpr double kReportSeconds = 20e-3;

  double rate_;
  double stalled_share_ = 0;
  ReceiverReport report_{};
  double on_its_way_ = 0;
  double queue_seconds_ = 0;
  double now_ = 0;
  double sent_ = 0;
  LinkRate seen_;
};

TEST(LinkRateTest, ALinkThatAlwaysHasSomethingToSendShowsItsRate) {
  // Goal: from 10 Mbit/s to 10 Gbit/s, within 5 % after 200 ms.
  for (const double rate : {1.25e6, 12.5e6, 125e6, 1.25e9}) {
    Link link(rate);
    link.sends(0.2);
    EXPECT_TRUE(link.known());
    EXPECT_NEAR(link.thought() / rate, 1, 0.05) << rate;
  }
}

TEST(LinkRateTest, ALinkWithAQueueOnTheWayDoesNotWait) {
  // Goal: what left this machine at once is not what the link sends, nor is a link idle whose next
  // bytes wait elsewhere.
  Link link(12.5e6);
  link.sends(20e-3);
  link.queues(0.2, 250e3);
  EXPECT_NEAR(link.thought() / 12.5e6, 1, 0.05);
}

TEST(LinkRateTest, AQueueOnTheWayShowsTheRateOfALinkThatIsNotKnown) {
  // Goal: a first transfer over a link with buffers need not fill those to know it.
  Link link(12.5e6);
  link.queues(0.2, 250e3);
  EXPECT_TRUE(link.known());
  EXPECT_NEAR(link.thought() / 12.5e6, 1, 0.05);
}

TEST(LinkRateTest, AQueueThatOthersFillIsNotASlowLink) {
  // Goal: what waits behind the bytes of others arrives as slowly as it was given; were that the
  // link's rate, blocks would become denser, even less be given, and so on.
  Link link(12.5e6);
  link.sends(50e-3);
  for (const double given : {10e6, 7e6, 5e6, 3e6}) link.shares_a_queue(0.2, given, 50e-3);
  EXPECT_NEAR(link.thought() / 12.5e6, 1, 0.05);
}

TEST(LinkRateTest, ASlowLinkIsKnownForOneBeforeItHasSentMuch) {
  // Goal: 10 ms are enough not to take 100 Mbit/s for a gigabit.
  Link link(12.5e6);
  link.sends(10e-3);
  EXPECT_LT(link.thought(), 25e6);
}

TEST(LinkRateTest, WhatAShaperLetsPassAtOnceIsNotTheRate) {
  // Goal: a quarter of a megabyte that passes at once is forgotten within 10 ms.
  Link link(125e6);
  link.takes_at_once(250e3);
  link.sends(10e-3);
  EXPECT_LT(link.thought(), 180e6);
}

TEST(LinkRateTest, AThreadThatIsNotServedIsNotASlowLink) {
  // Goal: bytes that wait for a processor, and not for the link, say nothing of the link.
  Link link(1e9);
  link.idles(5e-3, 1e9);
  const double before = link.thought();
  link.starves(4e-3, 1e6);
  EXPECT_GE(link.thought(), before);
}

TEST(LinkRateTest, ALinkThatGetsALittleNowAndThenIsNotMeasured) {
  // Goal: a thread that looks just when it has put something in finds the system with something to
  // send each time, and yet the link waits in between.
  Link link(600e6);
  link.sends(50e-3);
  const double before = link.thought();
  link.trickles(100e-3, 50e6);
  EXPECT_GE(link.thought(), before);
}

TEST(LinkRateTest, AMomentInWhichLittleIsSentCountsForAMoment) {
  // Goal: 5 ms in which other threads have the processors do not halve a rate that was steady.
  Link link(600e6);
  link.sends(200e-3);
  link.changes_to(50e6);
  link.sends(5e-3);
  EXPECT_GT(link.thought(), 450e6);
}

TEST(LinkRateTest, AnAnswerThatIsLateIsNotASlowLink) {
  // Goal: a steady gigabit that begins to send again, and of which nothing arrives for 4 ms, since
  // whoever answers waits for a processor, is not thought to be half as fast.
  Link link(125e6);
  link.sends(100e-3);
  link.idles(1e-3, 125e6);
  link.changes_to(0);
  link.sends(4e-3);
  EXPECT_GT(link.thought(), 60e6);
}

TEST(LinkRateTest, ALinkThatWaitsIsThoughtEverFaster) {
  // Goal: one that became a hundred times as fast is known for fast within half a second, although
  // what it is given is no more than before.
  Link link(1.25e6);
  link.sends(1);
  EXPECT_NEAR(link.thought() / 1.25e6, 1, 0.1);
  link.changes_to(125e6);
  link.idles(0.5, 2e6);
  EXPECT_GT(link.thought(), 100e6);
}

TEST(LinkRateTest, WhatWasOnlyGuessedIsGivenUpAsSoonAsLessArrives) {
  // Goal: 100 Mbit/s that waited while a long block was made, and is thought to be far faster, is
  // not for so long that megabytes are made for that.
  Link link(12.5e6);
  link.sends(15e-3);
  link.idles(40e-3, 1e6);
  EXPECT_GT(link.thought(), 60e6);
  link.sends(2e-3);
  EXPECT_LT(link.thought(), 60e6);
  link.sends(8e-3);
  EXPECT_LT(link.thought(), 25e6);
}

TEST(LinkRateTest, WhatIsRememberedOfAnImpossibleLinkIsUnlearned) {
  // Goal: a rate that nothing has is not made higher, and not kept.
  Link link(125e6, 1e12);
  link.idles(0.2, 50e6);
  EXPECT_LE(link.thought(), 1e12);
  link.sends(0.2);
  EXPECT_NEAR(link.thought() / 125e6, 1, 0.1);
}

TEST(LinkRateTest, ALinkThatGetsSlowerIsKnownForItSoon) {
  // Goal: 1 Gbit/s to 10 Mbit/s: no more than twice too fast after 0.4 s.
  Link link(125e6);
  link.sends(1);
  link.changes_to(1.25e6);
  link.sends(0.4);
  EXPECT_LT(link.thought(), 2.5e6);
}

TEST(LinkRateTest, WhatAShaperSavedUpWhileItWaitedIsNotTheRate) {
  // Goal: a link that is known for a while, waits, and then takes what it could have taken
  // meanwhile at once, is not thought faster.
  Link link(125e6);
  link.sends(200e-3);
  link.idles(4e-3, 25e6);
  const double before = link.thought();
  link.takes_at_once(250e3);
  link.sends(0.4e-3);
  EXPECT_LT(link.thought(), 1.1 * before);
}

TEST(LinkRateTest, ALinkThatWaitsForThreadsThatStandStillIsNotSlow) {
  // Goal: under a quota of the processors a link of 125 MB/s gets 256 KB now and then, and sends
  // them in 2 ms of 17.
  Link link(125e6);
  link.sends(0.1);
  link.stalls(0.5, 17e-3, 256e3);
  EXPECT_GT(link.thought(), 100e6);
}

TEST(LinkRateTest, WhatIsRememberedIsKnownAtOnceAndNotForgottenForABurst) {
  // Goal: 10 Mbit/s behind a shaper that lets 70 KB pass at once.
  Link link(1.25e6, 1.25e6);
  EXPECT_TRUE(link.known());
  link.takes_at_once(70e3);
  link.sends(5e-3);
  EXPECT_DOUBLE_EQ(link.thought(), 1.25e6);
  link.sends(0.5);
  EXPECT_FALSE(link.kept());
  EXPECT_NEAR(link.thought() / 1.25e6, 1, 0.1);
}

TEST(LinkRateTest, WhatIsRememberedAndWrongIsUnlearned) {
  // Goal: a hundred times as fast or as slow, within half a second.
  Link faster(125e6, 1.25e6);
  faster.idles(0.5, 3e6);
  EXPECT_GT(faster.thought(), 60e6);
  Link slower(1.25e6, 125e6);
  slower.sends(0.5);
  EXPECT_LT(slower.thought(), 2.5e6);
}

TEST(LinkRateTest, WhatIsRememberedOfAFarFasterLinkIsForgottenAtOnce) {
  // Goal: a hundred times as much as is true is worth nothing as soon as the truth is seen; what
  // is nearly true stays for a while.
  Link slow(1.25e6, 1.25e9);
  while (slow.kept()) slow.sends(0.5e-3);
  slow.sends(2e-3);
  EXPECT_LT(slow.thought(), 10e6);
  Link nearly(1e9, 1.25e9);
  while (nearly.kept()) nearly.sends(0.5e-3);
  nearly.sends(0.5e-3);
  EXPECT_GT(nearly.thought(), 1e9);
}

TEST(LinkRateTest, TellsTheNextTransferWhatTheLinkWasLately) {
  // Goal: not what it was in the beginning, nor what it seemed to be for the last moment, nor
  // anything after too little to tell.
  Link link(125e6);
  link.sends(2e-3);
  Link brief(1.25e6, 1.25e6);
  brief.sends(5e-3);
  EXPECT_FALSE(brief.lately());
  link.sends(0.3);
  link.changes_to(12.5e6);
  link.sends(1.5);
  link.idles(10e-3, 1e6);
  ASSERT_TRUE(link.lately());
  EXPECT_NEAR(*link.lately() / 12.5e6, 1, 0.15);
  Link idle(1e9);
  idle.idles(0.1, 50e6);
  ASSERT_TRUE(idle.lately()) << "that it never had enough to send is worth knowing, too";
  EXPECT_GT(*idle.lately(), 100e6);
}

TEST(LinkRateTest, WhatALinkIsGuessedToBeInItsPausesIsNotTold) {
  // Goal: a link that is as slow as remembered, waits for the first piece, for a moment between
  // pieces, and for longer at the end, is told to be what it was; one that mostly waits, to be
  // faster.
  Link link(1.25e6, 1.25e6);
  link.idles(0.2, 0);
  for (int i = 0; i < 20; ++i) {
    link.sends_a_piece(80e3);
    link.idles(5e-3, 0);
  }
  link.idles(0.15, 0);
  ASSERT_TRUE(link.lately());
  EXPECT_NEAR(*link.lately() / 1.25e6, 1, 0.15);
  Link faster(125e6, 1.25e6);
  faster.idles(2.5, 0.5e6);
  ASSERT_TRUE(faster.lately());
  EXPECT_GT(*faster.lately(), 12.5e6);
}

TEST(LinkRateTest, WhatAShaperLetsPassAfterAPauseIsNotTakenForTheRate) {
  // Goal: a link of 1 Gbit/s, whose sender compresses about as fast as it sends, is told to be that
  // in one transfer after another, and is not thought to be much faster in between.
  double remembered = 120e6;
  for (int transfer = 0; transfer < 10; ++transfer) {
    Link link(120e6, remembered);
    link.shapes_pieces(0.1, 400e3, 150e3, 1.5e-3);
    EXPECT_LT(link.thought() / 120e6, 1.5) << transfer;
    ASSERT_TRUE(link.lately());
    remembered = *link.lately();
    EXPECT_NEAR(remembered / 120e6, 1, 0.1) << transfer;
  }
}

TEST(LinkRateTest, AReceiverThatDoesNotReadForAMomentDoesNotMakeTheLinkLookFaster) {
  // Goal: buffers on the way take what it does not read in one report; a second one counts.
  Link link(125e6);
  link.sends(0.1);
  link.ends_at_one_that_stalls(0.7);
  link.sends(20e-3);
  EXPECT_NEAR(link.thought() / 125e6, 1, 0.05);
  link.ends_at_one_that_stalls(0);
  link.sends(0.1);
  EXPECT_NEAR(link.thought() / 125e6, 1, 0.05);
  ASSERT_TRUE(link.lately());
  EXPECT_NEAR(*link.lately() / 125e6, 1, 0.05);
  link.ends_at_one_that_stalls(0.7);
  link.sends(45e-3);
  EXPECT_GT(link.thought() / 125e6, 2);
}

TEST(LinkRateTest, ASlowReceiverIsNotASlowLink) {
  // Goal: a receiver that reads for two fifths of the time, and says so, hides nothing of the link,
  // from this transfer or the next; one that reads all the time does not make it look faster.
  Link link(125e6);
  link.sends(0.1);
  link.changes_to(50e6);
  link.ends_at_one_that_stalls(0.6);
  link.sends(1);
  EXPECT_NEAR(link.thought() / 125e6, 1, 0.05);
  ASSERT_TRUE(link.lately());
  EXPECT_NEAR(*link.lately() / 125e6, 1, 0.2);
  link.ends_at_one_that_stalls(0);
  link.sends(0.5);
  EXPECT_NEAR(link.thought() / 50e6, 1, 0.05);
}

TEST(LinkRateTest, WhatWaitsBehindAnOpenBlockDoesNotKeepALinkBusy) {
  // Goal: only what can leave counts: a link that waits for the front of the queue is not measured.
  Link link(1e9);
  link.idles(50e-3, 50e6);
  EXPECT_FALSE(link.known());
  EXPECT_GT(link.thought(), LinkRate::kFirstRate);
}

}  // namespace
}  // namespace adoc
