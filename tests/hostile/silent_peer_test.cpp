// Peers that fall silent, or say nothing but that they are there.

#include <gtest/gtest.h>

#include <thread>

#include "support/golden_bytes.hpp"
#include "support/made_up_frames.hpp"
#include "support/program.hpp"
#include "support/running_receiver.hpp"
#include "support/running_sender.hpp"
#include "wire/hello.hpp"
#include "wire/keep_alive.hpp"
#include "wire/outcome.hpp"
#include "wire/want.hpp"

namespace adoc::testkit {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kPatienceMs = 2'000;

Hello hello(Role role, std::uint32_t patience_ms = kPatienceMs) {
  return {.role = role, .patience_ms = patience_ms};
}

std::size_t keep_alives_in(ByteSpan frames) {
  return static_cast<std::size_t>(std::ranges::count_if(split_frames(frames), [](const Bytes& f) {
    return FrameHeader::decode(f).type == FrameType::keep_alive;
  }));
}

Bytes many_keep_alives(std::size_t count) {
  Bytes all;
  const Bytes one = encode_frame(KeepAlive{});
  for (; count != 0; --count) all.insert(all.end(), one.begin(), one.end());
  return all;
}

class SilentSenderTest : public testing::Test {
 protected:
  const Bytes alive_ = encode_frame(KeepAlive{});
  const Bytes offer_ = encode_frame(raw_offer(0, {file_entry(kGoldenName, 11)}, true));
  const Bytes done_ = encode_frame(Done{.stream_bytes = 11, .failures = {}});
  const Bytes end_ = encode_frame(End{1});
  RunningReceiver receiver_;
};

TEST_F(SilentSenderTest, KeepAlivesMayStandBeforeEveryFrame) {
  // Goal: whatever the sender is in the middle of, it can say that it is there.
  const std::vector<Bytes> block = split_frames(raw_block(0, 0, kGoldenText));
  const Ended verdict = receiver_.verdict_on(
      joined({hello(Role::sender).encode(), alive_, offer_, alive_, block[0], alive_, alive_,
              block[1], alive_, block[2], alive_, done_, alive_, end_}));
  EXPECT_FALSE(verdict.failure) << failure_text(verdict);
  EXPECT_EQ(contents_of(receiver_.out() / kGoldenName), kGoldenText);
}

TEST_F(SilentSenderTest, AFloodOfThemCostsNothing) {
  // Goal: a hundred thousand of them are as good as none.
  const Bytes flood = many_keep_alives(100'000);
  const Ended verdict =
      receiver_.verdict_on(joined({hello(Role::sender).encode(), flood, offer_,
                                   raw_block(0, 0, kGoldenText), flood, done_, end_}));
  EXPECT_FALSE(verdict.failure) << failure_text(verdict);
}

TEST_F(SilentSenderTest, ElsewhereTheyAreRefused) {
  // Goal: before the hello it is not AdOC, behind the end it is one frame too many, and it has
  // nothing to say.
  const Bytes whole = joined({offer_, raw_block(0, 0, kGoldenText), done_, end_});
  Ended verdict = receiver_.verdict_on(joined({alive_, hello(Role::sender).encode(), whole}));
  EXPECT_EQ(verdict.failure, ErrorKind::connect) << failure_text(verdict);
  verdict = receiver_.verdict_on(joined({hello(Role::sender).encode(), whole, alive_}));
  EXPECT_EQ(verdict.failure, ErrorKind::corrupt) << failure_text(verdict);
  verdict = receiver_.verdict_on(
      joined({hello(Role::sender).encode(),
              made_up_frame(FrameType::keep_alive, [](ByteWriter& out) { out.u8(0); }), whole}));
  EXPECT_EQ(verdict.failure, ErrorKind::corrupt) << failure_text(verdict);
}

TEST_F(SilentSenderTest, OneThatAsksForItHearsTheReceiverOften) {
  // Goal: a receiver that waits for data says that it is there, in time for the sender's patience.
  ScriptedPeer peer = receiver_.connect();
  peer.say(joined({hello(Role::sender).encode(), offer_}));
  Bytes heard;
  const auto begin = std::chrono::steady_clock::now();
  while (heard.size() < kHelloBytes + 40) {
    const Bytes more = peer.hear(1);
    ASSERT_EQ(more.size(), 1U);
    heard.insert(heard.end(), more.begin(), more.end());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  peer.close();
  EXPECT_EQ(receiver_.verdict().failure, ErrorKind::connect);
}

TEST_F(SilentSenderTest, OneThatDoesNotAskHearsNone) {
  // Goal: neither a sender of before, nor one that would wait for ever, is told what it has no use
  // for.
  for (const Hello& said : {Hello{.role = Role::sender, .features = 7}, hello(Role::sender, 0)}) {
    ScriptedPeer peer = receiver_.connect();
    peer.say(joined({said.encode(), offer_}));
    const Bytes heard = peer.hear_all(milliseconds(500));
    EXPECT_EQ(keep_alives_in(ByteSpan(heard).subspan(kHelloBytes)), 0U);
    peer.close();
    EXPECT_EQ(receiver_.verdict().failure, ErrorKind::connect);
  }
}

TEST_F(SilentSenderTest, NoPatienceIsNoLicenceForAFlood) {
  // Goal: a sender that claims to have a millisecond of patience gets some ten frames in a second.
  ScriptedPeer peer = receiver_.connect();
  peer.say(joined({hello(Role::sender, 1).encode(), offer_}));
  std::this_thread::sleep_for(milliseconds(1'000));
  peer.finish();
  const Bytes heard = peer.hear_all();
  // One more at the start, and some in case this thread overslept.
  EXPECT_LT(keep_alives_in(ByteSpan(heard).subspan(kHelloBytes)), 60U);
  EXPECT_EQ(receiver_.verdict().failure, ErrorKind::connect);
}

class SilentReceiverTest : public testing::Test {
 protected:
  /// A file that no buffer between the two takes.
  std::string large_file() const { return source_.write("large", std::string(32 << 20, 'x')); }

  static void take_all(ScriptedPeer& peer) {
    peer.say(hello(Role::receiver).encode());
    hear_offer(peer);
    peer.say(encode_frame(Want{.items = {{Verb::take, {{0, 32 << 20}}, ""}}}));
  }

  TemporaryDirectory source_;
  ScriptedListener listener_;
};

TEST_F(SilentReceiverTest, KeepAlivesMayStandBetweenItsAnswers) {
  // Goal: whatever the receiver is busy with; and a flood of them is as good as none.
  RunningSender sender(listener_, source_.write(kGoldenName, kGoldenText));
  ScriptedPeer peer = listener_.accept();
  const Bytes flood = many_keep_alives(10'000);
  const Bytes said =
      joined({hello(Role::receiver).encode(), flood,
              encode_frame(Want{.items = {{Verb::take, {{0, 11}}, ""}}}), flood,
              encode_frame(Commit{.items = {{Fate::committed, ""}}}), flood, encode_frame(End{1})});
  play_receiver(peer, said, kHelloBytes + flood.size() + 19);
  peer.finish();
  const auto result = sender.result();
  EXPECT_FALSE(result.kind) << result.message;
}

TEST_F(SilentReceiverTest, OneThatNeitherReadsNorSpeaksIsGivenUp) {
  // Goal: a sender whose writing thread waits for ever ends by what its reading thread does not
  // hear, and says so.
  Program sender({ADOC_SEND, "--insecure", "--retry", "0", "--timeout", "2s", "--level", "0",
                  large_file(), "127.0.0.1:" + std::to_string(listener_.port())});
  ScriptedPeer peer = listener_.accept();
  const auto begin = std::chrono::steady_clock::now();
  take_all(peer);
  EXPECT_EQ(sender.wait(), 3);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(1'900));
  const std::string said = "nothing heard from 127.0.0.1:" + std::to_string(listener_.port()) +
                           " for 2 s (--timeout): the other side or the network is gone";
  EXPECT_NE(sender.errors().find(said), std::string::npos) << sender.errors();
}

TEST_F(SilentReceiverTest, OneThatOnlySpeaksIsWaitedFor) {
  // Goal: a receiver whose disk takes nothing for twice as long as the patience, and
  // that says that it is there, keeps its sender.
  Program sender({ADOC_SEND, "--insecure", "--retry", "0", "--timeout", "2s", "--level", "0",
                  large_file(), "127.0.0.1:" + std::to_string(listener_.port())});
  ScriptedPeer peer = listener_.accept();
  take_all(peer);
  for (int i = 0; i < 45; ++i) {
    std::this_thread::sleep_for(milliseconds(100));
    ASSERT_TRUE(peer.say(encode_frame(KeepAlive{})));
  }
  std::jthread speaking([&](const std::stop_token& stop) {
    while (!stop.stop_requested() && peer.say(encode_frame(KeepAlive{})))
      std::this_thread::sleep_for(milliseconds(50));
  });
  static_cast<void>(peer.hear_all());
  speaking = {};
  peer.say(joined({encode_frame(Commit{.items = {{Fate::committed, ""}}}), encode_frame(End{1})}));
  peer.finish();
  EXPECT_EQ(sender.wait(), 0) << sender.errors();
}

}  // namespace
}  // namespace adoc::testkit
