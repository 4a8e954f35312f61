// A peer that goes away after every byte of a small transfer, in both directions, with a word of
// goodbye (FIN) and without (RST).

#include <gtest/gtest.h>

#include "support/golden_bytes.hpp"
#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "support/running_sender.hpp"
#include "wire/hello.hpp"

namespace adoc::testkit {
namespace {

/// Bytes of the conversation up to and with the first frame of this type.
std::size_t bytes_through(FrameType type, const Bytes& conversation) {
  std::size_t count = kHelloBytes;
  for (const Bytes& frame : split_frames(ByteSpan(conversation).subspan(kHelloBytes))) {
    count += frame.size();
    if (FrameHeader::decode(frame).type == type) return count;
  }
  ADD_FAILURE() << "no such frame";
  return 0;
}

class VanishingSenderTest : public testing::Test {
 protected:
  /// The receiver hears `count` bytes of a sender that then goes the given way.
  void hear_part(std::size_t count, bool word_of_goodbye) {
    SCOPED_TRACE("after byte " + std::to_string(count));
    ScriptedPeer peer = receiver_.connect();
    peer.say(ByteSpan(said_).first(count));
    if (word_of_goodbye)
      peer.close();
    else
      peer.vanish();
    const Ended verdict = receiver_.verdict();
    EXPECT_EQ(failure_kind(verdict), ErrorKind::connect) << failure_text(verdict);
    // Once all of the batch was there it may be committed, whatever becomes of the sender.
    const auto names = receiver_.out().names();
    if (!names.empty() && count >= whole_) {
      EXPECT_EQ(names, std::set<std::string>{kGoldenName});
      EXPECT_EQ(contents_of(receiver_.out() / kGoldenName), kGoldenText);
      std::filesystem::remove(receiver_.out() / kGoldenName);
    } else {
      EXPECT_EQ(names, std::set<std::string>{});
    }
  }

  Bytes said_ = golden_bytes("good/to-receiver");
  std::size_t whole_ = bytes_through(FrameType::done, said_);
  RunningReceiver receiver_;
};

TEST_F(VanishingSenderTest, ClosedAfterEachByteItIsALostConnectionThatLeavesNothing) {
  // Goal: a sender that ends too early never makes a file, a hang, or the end of the receiver.
  for (std::size_t count = 0; count < said_.size(); ++count) hear_part(count, true);
}

TEST_F(VanishingSenderTest, ResetAfterEachByteItIsALostConnectionThatLeavesNothing) {
  // Goal: as above for a connection that breaks.
  for (std::size_t count = 0; count < said_.size(); ++count) hear_part(count, false);
}

TEST_F(VanishingSenderTest, AfterAllOfItTheFileIsThereAndTheReceiverServesOn) {
  // Goal: the recording that the other tests cut is a good transfer, also after all of them.
  hear_part(said_.size() / 2, true);
  const Ended verdict = receiver_.verdict_on(said_);
  EXPECT_FALSE(verdict.failure) << failure_text(verdict);
  // The recording's hello is from before there were features.
  const ByteSpan heard = ByteSpan(receiver_.heard());
  const Bytes recorded = golden_bytes("good/to-sender");
  ASSERT_GE(heard.size(), kHelloBytes);
  EXPECT_EQ(Hello::decode(heard.first(kHelloBytes), Role::receiver).features, kAllFeatures);
  EXPECT_TRUE(
      std::ranges::equal(heard.subspan(kHelloBytes), ByteSpan(recorded).subspan(kHelloBytes)));
  EXPECT_EQ(contents_of(receiver_.out() / kGoldenName), kGoldenText);
}

class VanishingReceiverTest : public testing::Test {
 protected:
  RunningSender::Result send_to_part(std::size_t count, bool word_of_goodbye) {
    RunningSender sender(listener_, source_.write(kGoldenName, kGoldenText));
    ScriptedPeer peer = listener_.accept();
    play_receiver(peer, ByteSpan(said_).first(count), answer_);
    if (word_of_goodbye)
      peer.close();
    else
      peer.vanish();
    return sender.result();
  }

  void expect_lost(std::size_t count, bool word_of_goodbye) {
    SCOPED_TRACE("after byte " + std::to_string(count));
    const auto result = send_to_part(count, word_of_goodbye);
    EXPECT_EQ(result.kind, ErrorKind::connect) << result.message;
  }

  Bytes said_ = golden_bytes("good/to-sender");
  std::size_t answer_ = bytes_through(FrameType::want, said_);
  TemporaryDirectory source_;
  ScriptedListener listener_;
};

TEST_F(VanishingReceiverTest, ClosedAfterEachByteItIsALostConnection) {
  // Goal: whatever a receiver had said before it went, the sender neither hangs nor believes that
  // everything is committed.
  for (std::size_t count = 0; count < said_.size(); ++count) expect_lost(count, true);
}

TEST_F(VanishingReceiverTest, ResetAfterEachByteItIsALostConnection) {
  // Goal: as above for a connection that breaks.
  for (std::size_t count = 0; count < said_.size(); ++count) expect_lost(count, false);
}

TEST_F(VanishingReceiverTest, AfterAllOfItTheTransferIsGood) {
  // Goal: the recording that the other tests cut satisfies a sender.
  const auto result = send_to_part(said_.size(), true);
  EXPECT_FALSE(result.kind) << result.message;
  EXPECT_EQ(result.statistics.committed, 1U);
}

}  // namespace
}  // namespace adoc::testkit
