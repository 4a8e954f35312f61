#include "cli/explain.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cli/limits.hpp"

namespace adoc::cli {
namespace {

/// Ten seconds in which there was always something to send.
Observation busy() {
  return {.time_seconds = 10, .arrived_bytes = 100'000'000, .sending_seconds = 10};
}
/// Ten seconds in which the link waited.
Observation idle() { return {.time_seconds = 10, .arrived_bytes = 100'000'000}; }

Limit limit_of(const Observation& seen) {
  const LimitShares shares = limits_between({}, seen);
  double sum = 0;
  for (const double share : shares.share) sum += share;
  EXPECT_NEAR(sum, 1, 1e-9) << "each moment is somebody's";
  return shares.largest();
}

TEST(LimitsTest, WhoKeepsABusyLinkWaiting) {
  // Goal: with something to send, what is told of the other side, TCP and the thread that sends
  // says who is waited for.
  EXPECT_EQ(limit_of(busy()), Limit::link);
  Observation seen = busy();
  seen.held_back_seconds = 9;
  EXPECT_EQ(limit_of(seen), Limit::bandwidth);
  seen = busy();
  seen.receive_window_seconds = 9;
  seen.round_trip_seconds = 0.08;
  EXPECT_EQ(limit_of(seen), Limit::buffer);
  seen.round_trip_seconds = 1e-4;
  EXPECT_EQ(limit_of(seen), Limit::receiver) << "no buffer is too small for so short a path";
  seen = busy();
  seen.sending_processor_seconds = 9;
  EXPECT_EQ(limit_of(seen), Limit::sender);
  seen = busy();
  seen.receiver_seconds = 10;
  seen.receiver_stalled_seconds = 9;
  seen.decompressing_seconds = 18;
  seen.writing_seconds = 1;
  EXPECT_EQ(limit_of(seen), Limit::receiver);
  // A window that is closed because nobody reads is no buffer that is too small.
  seen.receive_window_seconds = 9;
  EXPECT_EQ(limit_of(seen), Limit::receiver);
  seen.writing_seconds = 9;
  seen.written_bytes = 200'000'000;
  EXPECT_EQ(limit_of(seen), Limit::disk);
  seen.written_bytes = 9'000'000'000;
  EXPECT_EQ(limit_of(seen), Limit::receiver) << "no disk writes a gigabyte a second in passing";
}

TEST(LimitsTest, WhoKeepsAnIdleLinkWaiting) {
  // Goal: with nothing to send, what the threads wait for says who is to blame; what none of them
  // waits for is work.
  EXPECT_EQ(limit_of(idle()), Limit::sender);
  Observation seen = idle();
  seen.source_seconds = 9;
  EXPECT_EQ(limit_of(seen), Limit::source);
  seen = idle();
  seen.answer_seconds = 9;
  EXPECT_EQ(limit_of(seen), Limit::answers);
  seen.walking_seconds = 8;
  EXPECT_EQ(limit_of(seen), Limit::source) << "nothing could be wanted that was not found";
  seen.walking_seconds = 0;
  seen.commit_seconds = 8;
  EXPECT_EQ(limit_of(seen), Limit::disk) << "no more is offered before it is on the disk";
  seen = idle();
  seen.finishing_seconds = 9;
  EXPECT_EQ(limit_of(seen), Limit::disk);
  seen.receiver_seconds = 5;
  seen.receiver_stalled_seconds = 4;
  EXPECT_EQ(limit_of(seen), Limit::receiver) << "it was behind before, and still is";
}

TEST(LimitsTest, OnlyWhatIsBetweenTwoMomentsCounts) {
  // Goal: sums of before do not count, and what came out of order is nothing.
  Observation later = idle();
  later.time_seconds = 20;
  later.source_seconds = 9;
  later.sending_seconds = 10;
  const LimitShares shares = limits_between(busy(), later);
  EXPECT_NEAR(shares.of(Limit::source), 0.9, 1e-9);
  EXPECT_NEAR(shares.of(Limit::sender), 0.1, 1e-9);
  EXPECT_FALSE(limits_between(later, busy()).any());
}

Outcome outcome(Limit limit, double share) {
  Outcome its{.seconds = 10, .bytes = 300'000'000, .wire_bytes = 100'000'000, .sums = busy()};
  its.limits.of(limit) = share;
  its.limits.of(limit == Limit::link ? Limit::source : Limit::link) += 1 - share;
  return its;
}

TEST(ExplainTest, EachLimitIsNamedAndWhatWouldHelp) {
  // Goal: two sentences for each outcome, of figures that were measured.
  Explanation said = explain(outcome(Limit::link, 0.9));
  EXPECT_EQ(said.limited,
            "The link, which carried 10.0 MB/s, limited this transfer for 90 % of its 10.0 s.");
  EXPECT_EQ(said.faster,
            "Only a faster link would make it faster: what crosses it is compressed 3.00 times "
            "already.");
  const struct {
    Limit limit;
    const char* limited;
    const char* faster;
  } kCases[] = {
      {Limit::bandwidth, "--bwlimit, which allowed 10.0 MB/s", "A higher --bwlimit"},
      {Limit::buffer, "socket buffer, at a round trip of", "net.ipv4.tcp_rmem"},
      {Limit::sender, "processors of the sender", "processors on the sender"},
      {Limit::receiver, "processors of the receiver", "processors on the receiver"},
      {Limit::disk, "receiver's disk, which took 30.0 MB/s", "faster disk on the receiver"},
      {Limit::source, "Reading the source, which gave 30.0 MB/s", "faster disk on the sender"},
      {Limit::answers, "Waiting for the receiver's answers", "shorter round trip"},
  };
  for (const auto& each : kCases) {
    said = explain(outcome(each.limit, 0.8));
    EXPECT_NE(said.limited.find(each.limited), std::string::npos) << said.limited;
    EXPECT_NE(said.faster.find(each.faster), std::string::npos) << said.faster;
  }
}

TEST(ExplainTest, OnlyDataThatDoesNotShrinkIsSaidNotTo) {
  // Goal: what was sent raw because it was asked for is not called data that does not shrink.
  Outcome its = outcome(Limit::link, 0.9);
  its.wire_bytes = its.bytes;
  EXPECT_NE(explain(its).faster.find("the data crossed it as it is"), std::string::npos);
  its.random_share = 0.9;
  EXPECT_NE(explain(its).faster.find("the data does not shrink"), std::string::npos);
}

TEST(ExplainTest, OfATransferThatFailedNothingIsAdvised) {
  // Goal: until then something limited it; what would have made it faster is not the question.
  Outcome its = outcome(Limit::link, 0.9);
  its.failed = true;
  EXPECT_EQ(explain(its).limited,
            "The link, which carried 10.0 MB/s, limited this transfer for 90 % of its 10.0 s until "
            "it failed.");
  EXPECT_EQ(explain(its).faster, "");
  its.bytes = 0;
  EXPECT_EQ(explain(its).limited, "The transfer failed before any contents had crossed.");
  EXPECT_EQ(explain(its).faster, "");
}

TEST(ExplainTest, TheSecondIsNamedIfItMatters) {
  // Goal: a mixture is told as one.
  EXPECT_NE(explain(outcome(Limit::sender, 0.6))
                .limited.find("60 % of its 10.0 s, and the link for 40 %"),
            std::string::npos);
}

TEST(ExplainTest, TheSendersBufferIsToldFromTheReceivers) {
  // Goal: the sysctl is the one of the side that has too little.
  Outcome its = outcome(Limit::buffer, 0.9);
  its.sums.send_buffer_seconds = 9;
  EXPECT_NE(explain(its).faster.find("net.ipv4.tcp_wmem"), std::string::npos);
}

TEST(ExplainTest, SocketBuffersThatLimitAreSaidUnasked) {
  // Goal: one line with the setting of the side that has too little, and nothing of transfers that
  // are short, or wait for something else.
  Observation sums{.time_seconds = 10, .arrived_bytes = 600'000'000, .sending_seconds = 9};
  sums.round_trip_seconds = 0.1;
  EXPECT_EQ(buffer_advice(sums), "");
  sums.receive_window_seconds = 8;
  EXPECT_EQ(
      buffer_advice(sums),
      "the receiver's socket buffers limited this transfer for 80 % of its 10.0 s, at a "
      "round trip of 100 ms: sysctl -w net.ipv4.tcp_rmem=\"4096 131072 33554432\" there makes it "
      "faster");
  sums.receive_window_seconds = 0;
  sums.send_buffer_seconds = 8;
  EXPECT_NE(buffer_advice(sums).find("net.ipv4.tcp_wmem=\"4096 16384 33554432\""),
            std::string::npos);
  sums.time_seconds = 1;
  EXPECT_EQ(buffer_advice(sums), "");
}

TEST(ExplainTest, NothingMayBeAnAnswer) {
  // Goal: of what is over at once, or moved nothing, nothing is made up.
  Outcome its = outcome(Limit::link, 0.9);
  its.bytes = 0;
  EXPECT_EQ(explain(its).limited, "Nothing limited this transfer: no contents had to cross.");
  its.bytes = 1000;
  its.seconds = 0.02;
  EXPECT_NE(explain(its).faster.find("Nothing"), std::string::npos);
}

}  // namespace
}  // namespace adoc::cli
