// Blocks that are searched for what came long before.

#include <thread>

#include "pipeline/compress_stage.hpp"
#include "support/compress_stage_fixture.hpp"

namespace adoc {
namespace {

using testkit::CompressStageTest;
using testkit::kRoomForAll;
using testkit::MemorySource;
using testkit::ScriptedPolicy;

class SearchedBlocksTest : public CompressStageTest {
 protected:
  Bytes noise_twice(std::size_t bytes) {
    Bytes data = testkit::some_noise(bytes, rng_);
    data.reserve(2 * bytes);
    data.insert(data.end(), data.begin(), data.end());
    return data;
  }

  /// What goes over the link for the data, which have to arrive.
  std::size_t sent_bytes(const Bytes& data, Policy& policy) {
    MemorySource source(data);
    Fifo fifo(kRoomForAll);
    CompressStage compress = stage({.ladder = "auto"}, source, policy, fifo);
    const std::jthread compressing([&] {
      EXPECT_TRUE(compress.run());
      fifo.close();
    });
    const Bytes sent = taken_from(fifo);
    EXPECT_TRUE(testkit::received(sent, 2) == data);
    return sent.size();
  }
};

TEST_F(SearchedBlocksTest, WhatCameLongBeforeIsCopied) {
  // Goal: of data that come twice, eight megabytes apart, a peer that keeps them is sent half; one
  // that does not gets all of it.
  constexpr auto kMatches = static_cast<std::uint64_t>(Feature::matches);
  const Bytes data = noise_twice(8 << 20);
  for (const std::uint64_t features : {std::uint64_t{0}, kMatches}) {
    SCOPED_TRACE(features);
    features_ = features;
    ScriptedPolicy policy({9}, {.block_bytes = 1 << 20});
    const std::size_t sent = sent_bytes(data, policy);
    EXPECT_EQ(sent < data.size() * 5 / 8, features == kMatches);
  }
}

TEST_F(SearchedBlocksTest, BlocksOfAnyLevelAreSearchedWhereThePolicySaysSo) {
  // Goal: raw blocks and those of light levels copy what came before, and the policy is told how
  // much that was; so is it of the densest zstd, which has a prefix instead.
  features_ = static_cast<std::uint64_t>(Feature::matches) |
              static_cast<std::uint64_t>(Feature::linked_blocks);
  const Bytes data = noise_twice(1 << 20);
  const Ladder ladder = Ladder::named("auto");
  for (int level = 0; level <= ladder.last(); ++level) {
    if (is_dense(ladder[level].codec)) continue;
    SCOPED_TRACE(level);
    ScriptedPolicy policy({level}, {.raw_bytes = 128 << 10, .block_bytes = 128 << 10});
    policy.search = true;
    const std::size_t sent = sent_bytes(data, policy);
    const bool has_prefix = block_shape(ladder[level]).prefix_bytes != 0;
    EXPECT_EQ(sent < data.size() * 5 / 8, !has_prefix);
    std::size_t matched = 0;
    for (const BlockResult& block : policy.learned) {
      EXPECT_EQ(block.matched_bytes.has_value(), !has_prefix);
      matched += block.matched_bytes.value_or(0);
    }
    EXPECT_EQ(matched > data.size() * 3 / 8, !has_prefix);
    EXPECT_LE(matched, data.size() / 2);
  }
}

}  // namespace
}  // namespace adoc
