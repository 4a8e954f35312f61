// Senders whose only connection is lost, and that come back over another one, or say that they do.

#include <gtest/gtest.h>

#include "support/golden_bytes.hpp"
#include "support/joining_peers.hpp"
#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "wire/arrived.hpp"
#include "wire/bundle_record.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"
#include "wire/streams.hpp"

namespace adoc::testkit {
namespace {

constexpr auto kRejoinFeatures = static_cast<std::uint64_t>(Feature::streams) |
                                 static_cast<std::uint64_t>(Feature::arrivals) |
                                 static_cast<std::uint64_t>(Feature::rejoins);

class RejoiningPeerTest : public JoiningPeers {
 protected:
  RejoiningPeerTest() : JoiningPeers(kRejoinFeatures) {}

  struct First {
    ScriptedPeer peer;
    StreamToken token{};
    Bytes said{};             ///< by the sender
    std::uint64_t heard = 0;  ///< of the receiver
  };

  /// Hears frames up to one of that type.
  static Bytes hear_up_to(First& first, FrameType type) {
    while (true) {
      const Bytes frame = first.peer.hear(kFrameHeaderBytes);
      if (frame.size() < kFrameHeaderBytes) throw std::runtime_error("the connection has ended");
      const FrameHeader header = FrameHeader::decode(frame);
      Bytes payload = first.peer.hear(header.payload_bytes);
      first.heard += frame.size() + payload.size();
      if (header.type == type) return payload;
    }
  }
  static void say(First& first, const Bytes& bytes) {
    first.peer.say(bytes);
    first.said.insert(first.said.end(), bytes.begin(), bytes.end());
  }

  /// A sender that has offered ten bytes, and may come back; with `tells`, the receiver knows that.
  [[nodiscard]] First first(bool tells = true) {
    const std::string name = "ten" + std::to_string(transfers_++);
    First first{.peer = receiver_.connect()};
    say(first, joined({hello_, encode_frame(raw_offer(0, {file_entry(name, 10)}, true))}));
    first.heard = first.peer.hear(kHelloBytes).size();
    const Bytes streams = hear_up_to(first, FrameType::streams);
    first.token = StreamsOffer::decode(open_record(FrameType::streams, streams)).token;
    if (!tells) return first;
    say(first, encode_frame(Arrived{first.heard}));
    // It is said at any time; one that counts what was said is the answer.
    while (Arrived::decode(open_record(FrameType::arrived, hear_up_to(first, FrameType::arrived)))
               .bytes < first.said.size()) {
    }
    return first;
  }
  static BundleRecord hear_header(ScriptedPeer& peer) {
    const Bytes bytes = peer.hear(BundleRecord::kHeaderBytes);
    if (bytes.size() < BundleRecord::kHeaderBytes)
      throw std::runtime_error("the connection has ended");
    BundleRecord::Header header{};
    std::ranges::copy(bytes, header.begin());
    return BundleRecord::decode(header);
  }
  static Bytes first_of(const Bytes& bytes, std::size_t count) {
    return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  static Bytes rest_of_it() {
    return joined({raw_block(0, 0, "0123456789"),
                   encode_frame(Done{.stream_bytes = 10, .failures = {}}), encode_frame(End{1}),
                   encode_frame(End{1})});
  }

  int transfers_ = 0;
};

TEST_F(RejoiningPeerTest, OneThatComesBackGoesOnBehindWhatWasRead) {
  // Goal: a connection that ends anywhere in what a sender says, with an end or a reset, or that
  // the receiver does not know to have ended, costs nothing that was said over it.
  enum class How { close, vanish, nothing };
  for (const How how : {How::close, How::vanish, How::nothing})
    for (const std::size_t cut : {std::size_t{0}, std::size_t{7}, rest_of_it().size() - 9}) {
      First one = first();
      const Bytes rest = rest_of_it();
      const std::size_t known = one.said.size();
      say(one, first_of(rest, cut));
      if (how == How::close) one.peer.finish();
      if (how == How::vanish) one.peer.vanish();
      ScriptedPeer again = join(one.token);
      again.say(record({.arrived = one.heard, .limit = one.heard + kMinStreamWindow}));
      ASSERT_EQ(again.hear(kHelloBytes).size(), kHelloBytes);
      // All of it, in case of doubt from the start.
      Bytes all = first_of(one.said, known);
      all.insert(all.end(), rest.begin(), rest.end());
      const std::uint64_t limit = one.heard + kMinStreamWindow;
      again.say(joined({record({.offset = 0,
                                .arrived = one.heard,
                                .limit = limit,
                                .length = static_cast<std::uint32_t>(all.size())}),
                        all,
                        record({.offset = all.size(),
                                .arrived = one.heard,
                                .limit = limit,
                                .length = BundleRecord::kEnd})}));
      // What it says begins where it was heard, and is heard to its end.
      std::uint64_t place = one.heard;
      std::uint64_t first_arrived = 0;
      BundleRecord heard = hear_header(again);
      while (!heard.is_end()) {
        if (first_arrived == 0) first_arrived = heard.arrived;
        if (heard.length != 0) {
          EXPECT_LE(heard.offset, place);
          place = std::max(place, heard.end());
          EXPECT_EQ(again.hear(heard.length).size(), heard.length);
        }
        heard = hear_header(again);
      }
      EXPECT_EQ(heard.offset, place);
      EXPECT_GE(first_arrived, known);
      again.say(record({.arrived = place + 1, .limit = limit}));
      const Ended verdict = receiver_.verdict();
      EXPECT_FALSE(verdict.failure) << verdict.text;
      EXPECT_EQ(verdict.statistics.committed, 1U);
    }
}

TEST_F(RejoiningPeerTest, OfSeveralThatComeBackEachMayGoOn) {
  // Goal: connections that take the place of a lost one, and say nothing, or end in the middle of a
  // record, hold up none of those that come at the same time or later.
  First one = first();
  const std::size_t known = one.said.size();
  say(one, first_of(rest_of_it(), 7));
  one.peer.vanish();
  const ScriptedPeer silent = join(one.token);
  const Bytes rest = rest_of_it();
  const auto limit = one.heard + kMinStreamWindow;
  const auto all = joined({record({.offset = known,
                                   .arrived = one.heard,
                                   .limit = limit,
                                   .length = static_cast<std::uint32_t>(rest.size())}),
                           rest});
  ScriptedPeer cut = join(one.token);
  cut.say(first_of(all, all.size() - 5));
  cut.finish();
  ScriptedPeer last = join(one.token);
  last.say(joined({all, record({.offset = known + rest.size(),
                                .arrived = one.heard,
                                .limit = limit,
                                .length = BundleRecord::kEnd})}));
  ASSERT_EQ(last.hear(kHelloBytes).size(), kHelloBytes);
  BundleRecord heard = hear_header(last);
  while (!heard.is_end()) {
    EXPECT_EQ(last.hear(heard.length).size(), heard.length);
    // What another connection was given is only late once all before it is there.
    last.say(record({.arrived = std::max(one.heard, heard.end()), .limit = limit}));
    heard = hear_header(last);
  }
  last.say(record({.arrived = heard.offset + 1, .limit = limit}));
  const Ended verdict = receiver_.verdict();
  EXPECT_FALSE(verdict.failure) << verdict.text;
  EXPECT_EQ(verdict.statistics.committed, 1U);
}

TEST_F(RejoiningPeerTest, OneWithAnotherTokenTakesNobodysPlace) {
  // Goal: whoever does not know the token is told that it is of no transfer, and the one that is
  // under way goes on over the connection that it has.
  First one = first();
  StreamToken token = one.token;
  token.back() ^= std::byte{1};
  ScriptedPeer other = join(token);
  const Bytes heard = other.hear_all();
  ASSERT_GT(heard.size(), kHelloBytes + kFrameHeaderBytes);
  EXPECT_EQ(FrameHeader::decode(ByteSpan(heard).subspan(kHelloBytes, kFrameHeaderBytes)).type,
            FrameType::error);
  EXPECT_EQ(receiver_.verdict().text, "it is of no transfer that lets it join");
  say(one, rest_of_it());
  one.peer.finish();
  static_cast<void>(one.peer.hear_all());
  const Ended verdict = receiver_.verdict();
  EXPECT_FALSE(verdict.failure) << verdict.text;
  EXPECT_EQ(verdict.statistics.committed, 1U);
}

TEST_F(RejoiningPeerTest, OneThatIsNotKnownToComeBackIsLostAtOnce) {
  // Goal: as long as a sender has not said that it can come back it is not waited for, and a
  // connection that takes the place of the first one is told so.
  First one = first(false);
  ScriptedPeer again = join(one.token);
  const Bytes heard = again.hear_all();
  ASSERT_GT(heard.size(), kHelloBytes + kFrameHeaderBytes);
  const FrameHeader header =
      FrameHeader::decode(ByteSpan(heard).subspan(kHelloBytes, kFrameHeaderBytes));
  EXPECT_EQ(header.type, FrameType::error);
  EXPECT_EQ(receiver_.verdict().text, "it is of no transfer that lets it join");
  one.peer.vanish();
  EXPECT_EQ(receiver_.verdict().failure, ErrorKind::connect);
}

TEST_F(RejoiningPeerTest, OneThatHasGivenUpIsNotWaitedFor) {
  // Goal: a sender that ends says so over another connection, wherever the first one was.
  First one = first();
  say(one, first_of(rest_of_it(), 7));
  one.peer.vanish();
  ScriptedPeer again = join(one.token);
  again.say(record({.length = BundleRecord::kGone}));
  EXPECT_EQ(receiver_.verdict().failure, ErrorKind::connect);
}

TEST_F(RejoiningPeerTest, WhatWasNeverSaidWasNotRead) {
  // Goal: a peer that has read more than was said breaks the protocol, whether it says so in a
  // frame or in a record of the connection that takes the place of a lost one.
  First framed = first();
  say(framed, encode_frame(Arrived{framed.heard + 1'000'000}));
  EXPECT_EQ(receiver_.verdict().failure, ErrorKind::corrupt);

  First recorded = first();
  recorded.peer.vanish();
  ScriptedPeer again = join(recorded.token);
  again.say(record({.arrived = recorded.heard + 1'000'000, .limit = recorded.heard + 2'000'000}));
  EXPECT_EQ(receiver_.verdict().failure, ErrorKind::corrupt);
}

TEST_F(RejoiningPeerTest, OneThatCannotComeBackSaysNothingOfWhatItHasRead) {
  // Goal: an arrived frame of a sender without the feature is none that a sender says.
  ScriptedPeer peer = receiver_.connect();
  peer.say(joined({Hello{.role = Role::sender, .features = 0}.encode(), encode_frame(Arrived{1})}));
  EXPECT_EQ(receiver_.verdict().failure, ErrorKind::corrupt);
}

}  // namespace
}  // namespace adoc::testkit
