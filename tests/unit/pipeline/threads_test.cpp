#include "pipeline/threads.hpp"

#include <gtest/gtest.h>

#include "pipeline/receive_memory.hpp"
#include "support/expect_error.hpp"
#include "wire/protocol.hpp"

namespace adoc {
namespace {

ThreadCount compressing(const PipelineOptions& options, std::size_t processors = 64) {
  return compression_threads(options, Ladder::of(options.ladder), processors);
}
ThreadCount decompressing(const ReceiveOptions& options, std::size_t processors = 64) {
  return decompression_threads(options, processors);
}

TEST(ThreadsTest, WithoutAWordThereIsOneForEachProcessorAndForThePaperOne) {
  // Goal: the defaults.
  EXPECT_GE(processors(), 1U);
  EXPECT_EQ(compression_threads({}, Ladder::named("auto")).count,
            std::min(processors(), kMaxThreads));
  EXPECT_EQ(compressing({}, 5).count, 5U);
  EXPECT_EQ(decompressing({}, 2).count, 2U);
  EXPECT_EQ(compressing({.policy = PolicyKind::adoc}).count, 1U);
  EXPECT_EQ(compressing({.policy = PolicyKind::adoc, .threads = 3}).count, 3U);
  EXPECT_EQ(compressing({}).why_fewer, "");
}

TEST(ThreadsTest, ThereAreNoMoreThanProcessorsAndThatIsTold) {
  // Goal: more would take turns on the processors, and all blocks be done later.
  for (const std::size_t asked : {2UL, 3UL, 8UL}) {
    EXPECT_EQ(compressing({.threads = asked}, 3).count, std::min(asked, 3UL));
    EXPECT_EQ(compressing({.threads = asked}, 3).why_fewer.empty(), asked <= 3);
    EXPECT_EQ(decompressing({.threads = asked}, 3).count, std::min(asked, 3UL));
    EXPECT_EQ(decompressing({.threads = asked}, 3).why_fewer.empty(), asked <= 3);
  }
  EXPECT_EQ(compressing({.policy = PolicyKind::adoc, .threads = 8}, 3).count, 3U);
  EXPECT_EQ(compressing({.threads = 8}, 3).why_fewer, "there are no more processors");
}

TEST(ThreadsTest, AFixedLevelGetsNoMoreThreadsThanItHasMemoryFor) {
  // Goal: the limit holds at the densest level, it is told when fewer come than were asked for, and
  // one too small for a single thread is an error.
  for (const LadderKind kind :
       {LadderKind::zlib, LadderKind::zstd, LadderKind::lz4, LadderKind::automatic}) {
    const Ladder ladder = Ladder::of(kind);
    for (int level = 0; level <= ladder.last(); ++level) {
      SCOPED_TRACE(std::string(ladder.name()) + " " + std::to_string(level));
      const std::size_t each = compressor_bytes(ladder[level]) + block_memory(ladder[level], 0);
      PipelineOptions options{.ladder = kind,
                              .policy = PolicyKind::fixed,
                              .level = level,
                              .threads = 8,
                              .memory_bytes = 3 * each};
      EXPECT_EQ(compressing(options).count, 3U);
      EXPECT_NE(compressing(options).why_fewer.find("memory"), std::string_view::npos);
      options.memory_bytes = 8 * each;
      EXPECT_EQ(compressing(options).count, 8U);
      EXPECT_EQ(compressing(options).why_fewer, "");
      options.memory_bytes = each;
      EXPECT_EQ(compressing(options).count, 1U);
      options.memory_bytes = each - 1;
      testkit::expect_error(ErrorKind::usage, "does not suffice for level",
                            [&] { static_cast<void>(compressing(options)); });
      options.memory_bytes = 0;
      EXPECT_GE(compressing(options).count, 1U) << "by default every level can be had";
    }
  }
}

TEST(ThreadsTest, ABlockSizeThatWasAskedForCounts) {
  // Goal: large blocks by --block-size do not pass the limit that the level alone would keep.
  const Ladder ladder = Ladder::named("auto");
  const Rung& rung = ladder[0];
  constexpr std::size_t kBlock = kMaxRawBlockBytes;
  ASSERT_GT(kBlock, block_shape(rung).block_bytes);
  const std::size_t each = compressor_bytes(rung) + block_memory(rung, kBlock);
  const PipelineOptions options{.policy = PolicyKind::fixed,
                                .level = 0,
                                .block_bytes = kBlock,
                                .threads = 4,
                                .memory_bytes = 2 * each};
  EXPECT_EQ(compressing(options).count, 2U);
  EXPECT_NE(compressing(options).why_fewer.find("memory"), std::string_view::npos);
}

TEST(ThreadsTest, ThereAreNeverMoreThanTheMost) {
  // Goal: an absurd number is not what the system is asked for.
  EXPECT_LE(compressing({.threads = SIZE_MAX}, SIZE_MAX).count, kMaxThreads);
  EXPECT_LE(decompressing({.threads = SIZE_MAX, .memory_bytes = SIZE_MAX}, SIZE_MAX).count,
            kMaxThreads);
}

TEST(ThreadsTest, DenseBlocksFitWhereAnyBlockDoes) {
  // Goal: they need no more memory of a thread than the largest of the others, so a receiver needs
  // not say no to them; and a sender has two threads for the longest with its default memory.
  EXPECT_LE(max_stored_bytes(kMaxDenseBlockBytes) + kMaxDenseBlockBytes +
                decompressor_bytes(CodecId::bzip3, kMaxDenseBlockBytes),
            kThreadReceiveBytes);
  const Ladder ladder = Ladder::named("auto");
  EXPECT_GE(compressing({.policy = PolicyKind::fixed, .level = ladder.last()}, 2).count, 2U);
}

TEST(ThreadsTest, TooLittleMemoryIsNone) {
  EXPECT_EQ(decompression_shares({.memory_bytes = 1}), 0U);
}

TEST(ThreadsTest, ALongerBlockThanTheRungsOwnTakesMoreToSort) {
  // Goal: --block-size counts for what a dense level takes beside its block, too.
  const Ladder ladder = Ladder::named("auto");
  if (ladder.last() == ladder.top()) GTEST_SKIP() << "built without libbzip3";
  const Rung& shortest = ladder[ladder.top() + 1];
  EXPECT_GT(compressor_bytes(shortest, 4 << 20), 3 * compressor_bytes(shortest));
  EXPECT_EQ(compressor_bytes(shortest, 16 << 20), compressor_bytes(shortest, 4 << 20))
      << "no block is longer";
  EXPECT_EQ(compressor_bytes(shortest, 1 << 10), compressor_bytes(shortest));
}

TEST(ThreadsTest, DecompressionHasMemoryForTheLargestBlocksThereAre) {
  // Goal: whatever a sender sends fits into what was allowed, with as many threads as there are.
  constexpr std::size_t kEach = kMaxRawBlockBytes + max_stored_bytes(kMaxRawBlockBytes);
  for (const std::size_t megabytes : {128UL, 256UL, 512UL, 2'048UL}) {
    const std::size_t memory = megabytes << 20;
    const std::size_t count = decompressing({.threads = 64, .memory_bytes = memory}).count;
    EXPECT_GE(count, 1U);
    EXPECT_LE(count * kEach, memory);
  }
  EXPECT_EQ(decompressing({.threads = 1}).count, 1U);
  EXPECT_GE(decompressing({}).count, 1U);
  testkit::expect_error(ErrorKind::usage, "largest blocks and offers",
                        [] { static_cast<void>(decompressing({.memory_bytes = 64 << 20})); });
}

}  // namespace
}  // namespace adoc
