#include "pipeline/crossing.hpp"

#include <gtest/gtest.h>

#include "support/made_up_frames.hpp"
#include "wire/hello.hpp"
#include "wire/keep_alive.hpp"
#include "wire/outcome.hpp"

namespace adoc {
namespace {

using testkit::joined;
using testkit::packet_frame;

class CrossingTest : public testing::Test {
 protected:
  CrossingTest() { send(Hello{}.encode()); }

  void send(const Bytes& bytes) {
    crossing_.sending(bytes);
    counters_.wire_bytes += bytes.size();
  }
  [[nodiscard]] std::uint64_t sent() const { return counters_.wire_bytes; }
  [[nodiscard]] std::uint64_t raw_at(std::uint64_t wire_bytes) {
    return crossing_.arrived(wire_bytes).raw_bytes;
  }

  static Bytes header(std::uint64_t offset, std::size_t raw_bytes, std::uint64_t batch = 0) {
    return encode_frame(BlockHeader{.batch = batch, .offset = offset, .raw_bytes = raw_bytes});
  }

  PipelineCounters counters_;
  Fifo fifo_{100};
  Crossing crossing_{counters_, fifo_};
};

TEST_F(CrossingTest, BlocksCountAsTheirBytesArrive) {
  // Goal: nothing counts before it has arrived, a block in parts, and each with its own ratio.
  send(header(0, 10'000));
  const std::uint64_t begin = sent();
  send(packet_frame(Bytes(400)));
  send(joined({packet_frame(Bytes(400)), encode_frame(BlockEnd{800})}));
  const std::uint64_t middle = sent();
  send(header(10'000, 500));
  // The payload of a raw block is an item of its own.
  Bytes packet = packet_frame(Bytes(500));
  send(Bytes(packet.begin(), packet.begin() + kFrameHeaderBytes));
  send(Bytes(500));
  send(encode_frame(BlockEnd{500}));
  EXPECT_EQ(raw_at(0), 0U);
  EXPECT_EQ(raw_at(begin), 0U);
  EXPECT_NEAR(static_cast<double>(raw_at((begin + middle) / 2)), 5'000, 20);
  EXPECT_EQ(raw_at(middle), 10'000U);
  EXPECT_EQ(crossing_.arrived(middle).place.offset, 10'000U);
  EXPECT_EQ(raw_at(sent()), 10'500U);
}

TEST_F(CrossingTest, OfABlockWhoseEndIsNotMadeTheRatioSoFarTells) {
  // Goal: a block of megabytes on a slow link does not stand still until its end is known.
  send(joined({header(0, 10'000), packet_frame(Bytes(1'000)), encode_frame(BlockEnd{1'000})}));
  counters_.raw_bytes = 10'000;
  ASSERT_EQ(raw_at(sent()), 10'000U);
  const std::uint64_t begin = sent();
  send(joined({header(10'000, 20'000), packet_frame(Bytes(1'000))}));
  const std::uint64_t guess = raw_at(begin + 500);
  EXPECT_GT(guess, 11'000U);
  EXPECT_LT(guess, 15'000U);
  send(joined({packet_frame(Bytes(9'000)), encode_frame(BlockEnd{10'000})}));
  EXPECT_EQ(raw_at(begin + 501), guess) << "it never falls";
  EXPECT_EQ(raw_at(sent()), 30'000U);
}

TEST_F(CrossingTest, CutsAndSkipsCountAsWhatTheyAre) {
  // Goal: a cut block has the bytes of its cut; what will not come is told apart.
  send(joined({header(0, 10'000), packet_frame(Bytes(100)),
               encode_frame(Cut{.stored_bytes = 100, .raw_bytes = 4'000, .checksum = 1})}));
  send(joined({header(4'000, 1'000), packet_frame(Bytes(100)), encode_frame(BlockEnd{100}),
               encode_frame(Skip{.batch = 0, .offset = 5'000, .length = 700})}));
  const Crossing::Crossed& crossed = crossing_.arrived(sent());
  EXPECT_EQ(crossed.raw_bytes, 5'000U);
  EXPECT_EQ(crossed.skipped_bytes, 700U);
  EXPECT_EQ(crossed.place.offset, 5'700U);
}

TEST_F(CrossingTest, TheEndCrossesLast) {
  // Goal: all has crossed when the end frame has, and a done leads to the next batch.
  send(joined({header(0, 10), packet_frame(Bytes(10)), encode_frame(BlockEnd{10})}));
  send(encode_frame(Done{.batch = 0, .stream_bytes = 10}));
  EXPECT_EQ(crossing_.arrived(sent()).place.batch, 1U);
  send(encode_frame(KeepAlive{}));
  send(encode_frame(End{1}));
  EXPECT_FALSE(crossing_.arrived(sent() - 1).all);
  EXPECT_TRUE(crossing_.arrived(sent()).all);
}

TEST_F(CrossingTest, MoreThanWasSentSaysNothing) {
  // Goal: a receiver that makes it up does not move the bar.
  send(joined({header(0, 10), packet_frame(Bytes(10)), encode_frame(BlockEnd{10})}));
  EXPECT_EQ(raw_at(~std::uint64_t{0}), 0U);
  EXPECT_EQ(raw_at(sent() + 1), 0U);
  EXPECT_EQ(raw_at(sent()), 10U);
  EXPECT_EQ(raw_at(0), 10U) << "nor does less than before";
}

TEST_F(CrossingTest, AReceiverThatIsSilentForThousandsOfBlocksIsBelievedAfterwards) {
  // Goal: with bounded memory all is counted again as soon as something is said, and the end is.
  for (std::uint64_t i = 0; i < 5'000; ++i)
    send(joined({header(10 * i, 10), packet_frame(Bytes(10)), encode_frame(BlockEnd{10})}));
  send(encode_frame(End{1}));
  const std::uint64_t half = raw_at(sent() / 2);
  EXPECT_NEAR(static_cast<double>(half), 25'000, 300);
  EXPECT_EQ(raw_at(sent()), 50'000U);
  EXPECT_TRUE(crossing_.arrived(sent()).all);
}

}  // namespace
}  // namespace adoc
