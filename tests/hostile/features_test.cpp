// Peers that name no features, as the first programs, and peers that name them and lie.

#include <gtest/gtest.h>

#include <thread>

#include "support/golden_bytes.hpp"
#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "support/running_sender.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"
#include "wire/status.hpp"
#include "wire/want.hpp"

namespace adoc::testkit {
namespace {

constexpr std::uint64_t kAny64 = ~std::uint64_t{0};

std::vector<FrameType> types_in(ByteSpan conversation) {
  std::vector<FrameType> types;
  for (const Bytes& frame : split_frames(conversation.subspan(kHelloBytes)))
    types.push_back(FrameHeader::decode(frame).type);
  return types;
}

bool contains(const std::vector<FrameType>& types, FrameType type) {
  return std::ranges::find(types, type) != types.end();
}

class FeaturesOfAReceiverTest : public testing::Test {
 protected:
  /// What a sender at the densest level says to a receiver that names these features, and answers
  /// with `between` before its commit.
  std::vector<FrameType> said_to(std::uint64_t features, const Bytes& between) {
    RunningSender sender(listener_, source_.write("words", std::string(300'000, 'w') + "end"),
                         {.ladder = LadderKind::zstd, .policy = PolicyKind::fixed, .level = 28});
    ScriptedPeer peer = listener_.accept();
    peer.say(Hello{.role = Role::receiver, .features = features}.encode());
    Bytes heard = peer.hear(kHelloBytes + kFrameHeaderBytes);
    const auto offer = FrameHeader::decode(ByteSpan(heard).subspan(kHelloBytes));
    const auto hear = [&](const Bytes& more) {
      heard.insert(heard.end(), more.begin(), more.end());
    };
    hear(peer.hear(offer.payload_bytes));
    peer.say(
        joined({between, encode_frame(Want{.items = {{Verb::take, {{0, kAny64}}, ""}}}), between}));
    hear(peer.hear_all());
    peer.say(joined({between, encode_frame(Commit{.items = {{Fate::committed, ""}}}), between,
                     encode_frame(End{1})}));
    peer.finish();
    const auto result = sender.result();
    EXPECT_FALSE(result.kind) << result.message;
    // All but `returns`, `streams` and `rejoins`: this sender has one connection.
    EXPECT_EQ(Hello::decode(ByteSpan(heard).first(kHelloBytes), Role::sender).features,
              kAllFeatures & ~static_cast<std::uint64_t>(Feature::returns) &
                  ~static_cast<std::uint64_t>(Feature::streams) &
                  ~static_cast<std::uint64_t>(Feature::rejoins));
    return types_in(heard);
  }

  /// How a sender ends that is asked by a receiver with these features for every second byte, so
  /// many times.
  RunningSender::Result asked_for(std::size_t ranges, std::uint64_t features) {
    RunningSender sender(listener_, source_.write("words", std::string(2 * ranges, 'w')));
    ScriptedPeer peer = listener_.accept();
    peer.say(Hello{.role = Role::receiver, .features = features}.encode());
    hear_offer(peer);
    Want want{.items = {{.verb = Verb::take}}};
    for (std::size_t i = 0; i < ranges; ++i) want.items[0].ranges.push_back({2 * i, 1});
    peer.say(encode_frame(want));
    static_cast<void>(peer.hear_all());
    peer.say(
        joined({encode_frame(Commit{.items = {{Fate::committed, ""}}}), encode_frame(End{1})}));
    peer.finish();
    return sender.result();
  }

  TemporaryDirectory source_;
  ScriptedListener listener_;
};

TEST_F(FeaturesOfAReceiverTest, OneWithAWideWindowAsksForFewRanges) {
  // Goal: what a sender keeps of all wants is bounded; a receiver of before asks as ever.
  EXPECT_FALSE(asked_for(kMaxWantedRanges, kAllFeatures).kind);
  const auto result = asked_for(kMaxWantedRanges + 1, kAllFeatures);
  EXPECT_EQ(result.kind, ErrorKind::corrupt);
  EXPECT_NE(result.message.find("too many ranges"), std::string::npos) << result.message;
  EXPECT_FALSE(asked_for(128, 0).kind);
}

TEST_F(FeaturesOfAReceiverTest, OneWithoutAnyGetsPlainBlocks) {
  // Goal: a receiver of before is sent nothing that it does not know; one that says more than there
  // is today is none the worse.
  const auto plain = said_to(0, {});
  EXPECT_TRUE(contains(plain, FrameType::block));
  EXPECT_FALSE(contains(plain, FrameType::linked_block));
  EXPECT_FALSE(contains(plain, FrameType::cut));
  EXPECT_TRUE(contains(said_to(kAny64, {}), FrameType::linked_block));
  const auto others = said_to(~kAllFeatures, {});
  EXPECT_FALSE(contains(others, FrameType::linked_block));
}

TEST_F(FeaturesOfAReceiverTest, OneThatKnowsNoSharesGetsNone) {
  // Goal: a receiver of before is not sent a part for the whole, and its user hears why.
  for (const std::uint64_t features :
       {std::uint64_t{0}, kAllFeatures & ~static_cast<std::uint64_t>(Feature::shares)}) {
    RunningSender sender(listener_, source_.write("words", "some"), {}, Shard{1, 2});
    ScriptedPeer peer = listener_.accept();
    peer.say(Hello{.role = Role::receiver, .features = features}.encode());
    // It may go before it has said even that it is one.
    const Bytes heard = peer.hear_all();
    if (heard.size() > kHelloBytes) {
      EXPECT_FALSE(contains(types_in(heard), FrameType::offer));
    }
    const auto result = sender.result();
    EXPECT_EQ(result.kind, ErrorKind::usage);
    EXPECT_NE(result.message.find("several senders"), std::string::npos) << result.message;
  }
}

TEST_F(FeaturesOfAReceiverTest, AStatusMaySayAnything) {
  // Goal: absurd figures end no transfer, nor do a thousand of them.
  const Bytes most = encode_frame(Status{.interval_us = kAny64,
                                         .stalled_us = kAny64,
                                         .decompressed_bytes = kAny64,
                                         .decompressing_us = kAny64,
                                         .written_bytes = kAny64,
                                         .writing_us = kAny64});
  const Bytes nothing = encode_frame(Status{});
  const Bytes no_time = encode_frame(Status{.stalled_us = 1, .decompressed_bytes = kAny64});
  Bytes many;
  for (int i = 0; i < 1'000; ++i) many = joined({many, most, no_time, nothing});
  EXPECT_TRUE(contains(said_to(kAllFeatures, many), FrameType::end));
}

class FeaturesOfASenderTest : public testing::Test {
 protected:
  /// What the receiver says to a sender with these features that takes its time.
  std::vector<FrameType> said_to(std::uint64_t features) {
    ScriptedPeer peer = receiver_.connect();
    peer.say(joined(
        {Hello{.role = Role::sender, .features = features}.encode(),
         encode_frame(raw_offer(0, {file_entry("ten" + std::to_string(features), 10)}, true))}));
    for (std::size_t i = 0; i < 10; ++i) {
      peer.say(raw_block(0, i, std::string_view("0123456789").substr(i, 1)));
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    peer.say(
        joined({encode_frame(Done{.stream_bytes = 10, .failures = {}}), encode_frame(End{1})}));
    peer.finish();
    const Bytes heard = peer.hear_all();
    const Ended verdict = receiver_.verdict();
    EXPECT_FALSE(verdict.failure) << failure_text(verdict);
    return types_in(heard);
  }

  RunningReceiver receiver_;
};

TEST_F(FeaturesOfASenderTest, OnlyOneThatNamedItHearsHowTheReceiverIsDoing) {
  // Goal: a sender of before, which knows no status, hears none.
  EXPECT_EQ(said_to(0), (std::vector{FrameType::want, FrameType::commit, FrameType::end}));
  EXPECT_TRUE(contains(said_to(static_cast<std::uint64_t>(Feature::status)), FrameType::status));
}

TEST(ThreadsOfAReceiverTest, AreInItsHello) {
  // Goal: a sender knows from the first bytes on how much at once is decompressed.
  const RunningReceiver receiver({.threads = 1});
  ScriptedPeer peer = receiver.connect();
  peer.say(Hello{.role = Role::sender}.encode());
  EXPECT_EQ(Hello::decode(peer.hear(kHelloBytes), Role::receiver).threads, 1);
}

TEST_F(FeaturesOfASenderTest, OneThatReadsNoAnswersIsNotAnsweredForEver) {
  // Goal: answers do not pile up here for one that takes none. Whoever hears no commits cannot know
  // that it may offer more.
  ScriptedPeer peer = receiver_.connect();
  peer.say(Hello{.role = Role::sender}.encode());
  const std::jthread saying([&] {
    for (std::uint64_t batch = 0;; ++batch)
      if (!peer.say(
              joined({encode_frame(raw_offer(batch, {}, false)),
                      encode_frame(Done{.batch = batch, .stream_bytes = 0, .failures = {}})})))
        return;
  });
  const Ended verdict = receiver_.verdict();
  EXPECT_EQ(verdict.failure, ErrorKind::corrupt);
  EXPECT_NE(verdict.text.find("too many batches"), std::string::npos) << verdict.text;
}

}  // namespace
}  // namespace adoc::testkit
