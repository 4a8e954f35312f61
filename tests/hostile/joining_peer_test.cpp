// Connections that say that they belong to a transfer which others have.

#include <gtest/gtest.h>

#include "support/golden_bytes.hpp"
#include "support/joining_peers.hpp"
#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "wire/bundle_record.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"
#include "wire/streams.hpp"

namespace adoc::testkit {
namespace {

constexpr auto kJoinFeatures =
    static_cast<std::uint64_t>(Feature::streams) | static_cast<std::uint64_t>(Feature::keep_alive);

class JoiningPeerTest : public JoiningPeers {
 protected:
  JoiningPeerTest() : JoiningPeers(kJoinFeatures) {}

  /// A sender that has offered ten bytes, and the token that it was told.
  [[nodiscard]] ScriptedPeer sender(StreamToken& token) {
    ScriptedPeer peer = receiver_.connect();
    peer.say(joined({hello_, encode_frame(raw_offer(0, {file_entry("ten", 10)}, true))}));
    static_cast<void>(peer.hear(kHelloBytes));
    while (true) {
      Bytes frame = peer.hear(kFrameHeaderBytes);
      if (frame.size() < kFrameHeaderBytes) throw std::runtime_error("the connection has ended");
      const FrameHeader header = FrameHeader::decode(frame);
      const Bytes payload = peer.hear(header.payload_bytes);
      if (header.type != FrameType::streams) continue;
      token = StreamsOffer::decode(open_record(header.type, payload)).token;
      return peer;
    }
  }
  /// Its transfer is closed, and nothing but the hello was said.
  static void is_closed_without_a_word(ScriptedPeer& peer) {
    EXPECT_EQ(peer.hear_all().size(), kHelloBytes);
  }
};

TEST_F(JoiningPeerTest, OneWithAnotherTokenHearsNothing) {
  // Goal: one bit of the token is enough, and the transfer that it is of does not notice.
  StreamToken token{};
  ScriptedPeer first = sender(token);
  StreamToken wrong = token;
  wrong.back() ^= std::byte{1};
  ScriptedPeer other = join(wrong);
  is_closed_without_a_word(other);
  EXPECT_EQ(receiver_.verdict().text, "it is of no transfer that lets it join");
  first.say(joined({raw_block(0, 0, "0123456789"),
                    encode_frame(Done{.stream_bytes = 10, .failures = {}}), encode_frame(End{1})}));
  first.finish();
  const Ended verdict = receiver_.verdict();
  EXPECT_FALSE(verdict.failure) << verdict.text;
  // Its token is of nothing any more.
  ScriptedPeer late = join(token);
  is_closed_without_a_word(late);
}

TEST_F(JoiningPeerTest, NoMoreThanTheMostAreLetIn) {
  // Goal: who has the token cannot fill the receiver with connections.
  StreamToken token{};
  ScriptedPeer first = sender(token);
  std::vector<ScriptedPeer> joining;
  for (std::size_t i = 1; i < kMaxStreams; ++i) joining.push_back(join(token));
  // Each has heard the hello, and the last one is in once the one after it is not.
  for (ScriptedPeer& peer : joining) EXPECT_EQ(peer.hear(kHelloBytes).size(), kHelloBytes);
  bool closed = false;
  for (int i = 0; i < 20 && !closed; ++i) {
    ScriptedPeer more = join(token);
    closed = more.hear_all(std::chrono::milliseconds(500)).size() == kHelloBytes;
  }
  EXPECT_TRUE(closed);
  first.vanish();
  EXPECT_EQ(receiver_.verdict().failure, ErrorKind::connect);
}

TEST_F(JoiningPeerTest, RecordsBeyondAllBoundsEndTheTransfer) {
  // Goal: what reaches beyond the window, or what arrived that was never sent, is the peer's fault.
  const auto reaches_too_far =
      record({.offset = kMaxStreamWindow, .limit = kMaxStreamWindow, .length = 1});
  const auto has_too_much = record({.arrived = 1, .limit = kMaxStreamWindow});
  for (const Bytes& lie : {reaches_too_far, has_too_much}) {
    StreamToken token{};
    ScriptedPeer first = sender(token);
    first.say(encode_frame(Split{}));
    ScriptedPeer second = join(token);
    second.say(lie);
    EXPECT_EQ(receiver_.verdict().failure, ErrorKind::corrupt);
  }
}

TEST_F(JoiningPeerTest, AJoinThatIsNoneHearsNothing) {
  // Goal: a join that is damaged or too long is no sender that waits for a turn either.
  Bytes damaged = encode_frame(Join{});
  damaged.back() ^= std::byte{1};
  ScriptedPeer peer = receiver_.connect();
  peer.say(joined({hello_, damaged}));
  is_closed_without_a_word(peer);
  Bytes longer = encode_frame(Join{});
  longer[1] = std::byte{0xff};
  ScriptedPeer other = receiver_.connect();
  other.say(joined({hello_, longer, Bytes(300)}));
  is_closed_without_a_word(other);
}

}  // namespace
}  // namespace adoc::testkit
