#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bench/papers/adaptive/table.hpp"

namespace papers {
namespace {

// None, and a codec that halves and takes a second for each side.
TracedMessage message_of(double bytes, bool to_device) {
  return {to_device, {{bytes, 0, bytes, 0}, {bytes, 1, bytes / 2, 1}}};
}

constexpr ReplayWorld kSlowLink = {.link = 80, .edge_slowdown = 1};  // 10 bytes a second

TEST(Replay, IsEquationOne) {
  // Goal: worked out by hand: 100 bytes take 10 s as they are, and 1 + 5 + 1 s halved.
  const TracedMessage up = message_of(100, true);
  EXPECT_EQ(serial_seconds(kSlowLink, up, 0), 10);
  EXPECT_EQ(serial_seconds(kSlowLink, up, 1), 7);
}

TEST(Replay, TheEdgeIsTheSideThatIsSlow) {
  // Goal: it compresses what it sends, and decompresses what it gets.
  const ReplayWorld quarter = {.link = 80, .edge_slowdown = 4};
  EXPECT_EQ(times_in(quarter, message_of(100, true), 1).compress, 4);
  EXPECT_EQ(times_in(quarter, message_of(100, true), 1).decompress, 1);
  EXPECT_EQ(times_in(quarter, message_of(100, false), 1).compress, 1);
  EXPECT_EQ(times_in(quarter, message_of(100, false), 1).decompress, 4);
  EXPECT_EQ(serial_seconds(quarter, message_of(100, true), 0), 10);
}

TEST(Replay, PipelinedOverlapsMessages) {
  // Goal: two halved messages of 100 bytes: compressed at 1 and 2, there at 6 and 11, then 1 s.
  const std::array<TracedMessage, 2> two = {message_of(100, true), message_of(100, true)};
  const std::array<std::size_t, 2> halved = {1, 1};
  const ReplayTime time = replay(kSlowLink, two, halved);
  EXPECT_EQ(time.serial, 14);
  EXPECT_EQ(time.pipelined, 12);
  EXPECT_THROW((void)replay(kSlowLink, two, std::array<std::size_t, 1>{0}), std::invalid_argument);
}

TEST(SizeTables, ChooseBySizeAndDirection) {
  // Goal: halving gains from 40 bytes on; with a slow edge from 100 bytes on.
  const std::vector<TracedMessage> learnt = {message_of(10, true), message_of(100, true),
                                             message_of(1000, false)};
  const SizeTable table(kSlowLink, learnt);
  EXPECT_EQ(table.codec_for(message_of(9, true)), 0U);
  EXPECT_EQ(table.codec_for(message_of(128, true)), 1U);
  EXPECT_EQ(table.codec_for(message_of(65, true)), 1U);
  // Sizes that never came: the nearest.
  EXPECT_EQ(table.codec_for(message_of(1e6, true)), 1U);
  EXPECT_EQ(table.codec_for(message_of(1, true)), 0U);
  EXPECT_EQ(table.codec_for(message_of(1, false)), 1U);
  const SizeTable slow({.link = 80, .edge_slowdown = 5}, learnt);
  EXPECT_EQ(slow.codec_for(message_of(100, true)), 0U);
  EXPECT_EQ(slow.codec_for(message_of(1000, false)), 1U);
  EXPECT_EQ(SizeTable(kSlowLink, {}).codec_for(message_of(100, true)), 0U);
}

TEST(SizeTables, AreNeverWorseThanOneCodecForAllThatTheyWereLearntFrom) {
  // Goal: the least of each class sums up to the least or less.
  std::vector<TracedMessage> messages;
  for (int i = 1; i < 200; ++i) messages.push_back(message_of(i, i % 3 == 0));
  const SizeTable table(kSlowLink, messages);
  std::vector<std::size_t> chosen;
  for (const auto& one : messages) chosen.push_back(table.codec_for(one));
  const double adaptive = replay(kSlowLink, messages, chosen).serial;
  for (const std::size_t codec : {0U, 1U}) {
    const std::vector<std::size_t> fixed(messages.size(), codec);
    EXPECT_LE(adaptive, replay(kSlowLink, messages, fixed).serial);
  }
}

}  // namespace
}  // namespace papers
