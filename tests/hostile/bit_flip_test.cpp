// One bit of a recorded transfer is wrong.

#include <gtest/gtest.h>

#include "support/golden_bytes.hpp"
#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "support/running_sender.hpp"

namespace adoc::testkit {
namespace {

Bytes flipped(Bytes bytes, std::size_t bit) {
  bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  return bytes;
}

/// Steps from bit to bit: each of them in the hello, which no check value stands over, and one of
/// each byte elsewhere.
constexpr std::size_t kEachBit = 1;
constexpr std::size_t kOneBitOfEachByte = 9;

TEST(BitFlipTest, AReceiverFailsOrHasTheDataAsTheSourceHasIt) {
  // Goal: no single wrong bit goes unnoticed and changes what is committed.
  RunningReceiver receiver;
  const Bytes said = golden_bytes("good/to-receiver");
  std::size_t failures = 0;
  for (std::size_t bit = 0; bit < said.size() * 8;
       bit += bit < kHelloBytes * 8 ? kEachBit : kOneBitOfEachByte) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    const Ended verdict = receiver.verdict_on(flipped(said, bit));
    if (verdict.failure) ++failures;
    const auto names = receiver.out().names();
    if (names.empty()) {
      EXPECT_TRUE(verdict.failure);
      continue;
    }
    EXPECT_EQ(names, std::set<std::string>{kGoldenName});
    EXPECT_EQ(contents_of(receiver.out() / kGoldenName), kGoldenText);
    std::filesystem::remove(receiver.out() / kGoldenName);
  }
  EXPECT_GT(failures, said.size() - kHelloBytes - 1);
}

TEST(BitFlipTest, ASenderFailsOrIsRightThatEverythingIsCommitted) {
  // Goal: no single wrong bit makes a sender hang, crash or take a commit for another.
  TemporaryDirectory source;
  ScriptedListener listener;
  const std::string path = source.write(kGoldenName, kGoldenText);
  const Bytes said = golden_bytes("good/to-sender");
  const Bytes want = split_frames(ByteSpan(said).subspan(kHelloBytes)).front();
  for (std::size_t bit = 0; bit < said.size() * 8; bit += kOneBitOfEachByte) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    RunningSender sender(listener, path);
    ScriptedPeer peer = listener.accept();
    play_receiver(peer, flipped(said, bit), kHelloBytes + want.size(),
                  std::chrono::milliseconds(500));
    peer.close();
    const auto result = sender.result();
    // Reserved bytes and features of the hello mean nothing yet.
    if (bit >= kHelloBytes * 8) {
      EXPECT_TRUE(result.kind);
    }
    if (!result.kind) {
      EXPECT_EQ(result.statistics.committed, 1U);
    }
  }
}

}  // namespace
}  // namespace adoc::testkit
