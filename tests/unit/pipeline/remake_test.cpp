#include "support/compress_stage_fixture.hpp"

namespace adoc {
namespace {

using testkit::CompressStageTest;
using testkit::kRoomForAll;
using testkit::MemorySource;
using testkit::ScriptedPolicy;
using testkit::SentBlock;

TEST_F(CompressStageTest, WhatWaitsIsMadeAnewAsOneBlock) {
  // Goal: of blocks that nobody has taken the policy hears what they are; those that it wants made
  // anew leave as one block where they were, and are counted once.
  constexpr std::size_t kBlock = 50'000;
  ScriptedPolicy policy({1}, {.block_bytes = kBlock});
  policy.keeps = true;
  std::size_t wire_bytes = 0;
  policy.when_waiting = [&](std::span<const WaitingBlock> waiting) -> std::optional<Remake> {
    if (waiting.size() != 5) return std::nullopt;
    wire_bytes = waiting[1].wire_bytes + waiting[2].wire_bytes + waiting[3].wire_bytes;
    std::uint64_t ahead = 0;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      EXPECT_EQ(waiting[i].level, 1);
      EXPECT_EQ(waiting[i].raw_bytes, kBlock);
      EXPECT_EQ(waiting[i].ahead_bytes, ahead);
      EXPECT_EQ(waiting[i].follows, i != 0);
      ahead += waiting[i].wire_bytes;
    }
    return Remake{.first = 1, .count = 3, .look = waiting[1].look, .choice = {.level = 9}};
  };
  const Bytes data = testkit::some_words(6 * kBlock, rng_);
  MemorySource source(data);
  Fifo fifo(kRoomForAll);
  CompressStage compress = stage({}, source, policy, fifo);
  EXPECT_TRUE(compress.run());
  fifo.close();
  const std::size_t bytes = fifo.bytes();
  const Bytes sent = taken_from(fifo);
  EXPECT_EQ(sent.size(), bytes);
  std::vector<std::pair<int, std::uint64_t>> blocks;
  for (const SentBlock& block : blocks_in(sent, 8'192))
    blocks.emplace_back(block.header.level, block.header.raw_bytes);
  EXPECT_EQ(blocks, (std::vector<std::pair<int, std::uint64_t>>{
                        {1, kBlock}, {9, 3 * kBlock}, {1, kBlock}, {1, kBlock}}));
  EXPECT_EQ(testkit::received(sent), data);
  EXPECT_EQ(compress.blocks_at_level(), (std::vector<std::uint64_t>{0, 3, 0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(counters_.raw_bytes, data.size());
  EXPECT_EQ(policy.learned.back().level, 1);
  EXPECT_EQ(policy.learned[5].level, 9);
  EXPECT_EQ(policy.learned[5].raw_bytes, 3 * kBlock);
  EXPECT_EQ(policy.learned[5].instead_of.raw_bytes, 3 * kBlock);
  EXPECT_EQ(policy.learned[5].instead_of.wire_bytes, wire_bytes);
  EXPECT_EQ(policy.learned[4].instead_of.raw_bytes, 0U);
}

TEST_F(CompressStageTest, WhatHasLeftOrWasNotKeptIsNotMadeAnew) {
  // Goal: the policy hears neither of what somebody has taken, nor of what it did not want kept,
  // nor of more than there is memory for.
  constexpr std::size_t kBlock = 50'000;
  for (const bool keeps : {true, false}) {
    ScriptedPolicy policy({0}, {.raw_bytes = kBlock});
    policy.keeps = keeps;
    std::size_t most = 0;
    Fifo fifo(kRoomForAll);
    bool took = false;
    policy.when_waiting = [&](std::span<const WaitingBlock> waiting) -> std::optional<Remake> {
      most = std::max(most, waiting.size());
      if (took) {
        for (const WaitingBlock& block : waiting) EXPECT_GE(block.ahead_bytes, 1U);
      }
      if (!took && waiting.size() == 3) {
        std::vector<Buffer> items;
        took = fifo.pop_some(items, 1);
        // What was told of and has left meanwhile is missing, which is no harm.
        return Remake{.first = 0, .count = 1, .look = waiting[0].look};
      }
      return std::nullopt;
    };
    const Bytes data = testkit::some_words(400 * kBlock, rng_);
    MemorySource source(data);
    CompressStage compress = stage({}, source, policy, fifo);
    EXPECT_TRUE(compress.run());
    EXPECT_EQ(took, keeps);
    EXPECT_EQ(counters_.raw_bytes.exchange(0), data.size());
    EXPECT_LE(most * kBlock, 8U << 20);
    EXPECT_EQ(most > 100, keeps);
  }
}

}  // namespace
}  // namespace adoc
