#include <atomic>
#include <thread>

#include "support/compress_stage_fixture.hpp"

namespace adoc {
namespace {

using testkit::CompressStageTest;
using testkit::kRoomForAll;
using testkit::MemorySource;
using testkit::ScriptedPolicy;
using testkit::SentBlock;

constexpr std::size_t kLong = 3 << 19;

TEST_F(CompressStageTest, ThreadsThatHaveNothingLeftToMakeTryLevels) {
  // Goal: while what was made waits, the policy hears what another level makes of a block, of which
  // nothing is sent or counted, be it the only thread or one of several.
  for (const std::size_t threads : {1U, 2U}) {
    SCOPED_TRACE(threads);
    ScriptedPolicy policy({1}, {.block_bytes = kLong});
    policy.keeps = true;
    std::atomic<bool> asked_again = false;
    policy.when_idle = [&](std::size_t raw_bytes) -> std::optional<Trial> {
      EXPECT_EQ(raw_bytes, kLong);
      asked_again = !policy.learned.empty() && policy.learned.back().trial;
      return asked_again ? std::nullopt : std::optional(Trial{.level = 9, .most_seconds = 100});
    };
    const Bytes data = testkit::some_words(2 * kLong, rng_);
    MemorySource source(data);
    Fifo fifo(kRoomForAll);
    CompressStage compress = stage({.threads = threads}, source, policy, fifo);
    Bytes sent;
    {
      std::vector<std::jthread> compressing;
      for (std::size_t i = 0; i < threads; ++i)
        compressing.emplace_back([&] {
          if (!compress.run()) return;
          compress.watch_rest();
          fifo.close();
        });
      while (!asked_again) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      sent = taken_from(fifo);
    }
    EXPECT_EQ(testkit::received(sent), data);
    EXPECT_EQ(counters_.raw_bytes.exchange(0), data.size());
    for (const SentBlock& block : blocks_in(sent, 8'192)) EXPECT_EQ(block.header.level, 1);
    EXPECT_EQ(compress.blocks_at_level(),
              (std::vector<std::uint64_t>{0, 2, 0, 0, 0, 0, 0, 0, 0, 0}));
    const auto is_trial = [](const BlockResult& result) { return result.trial; };
    ASSERT_EQ(std::ranges::count_if(policy.learned, is_trial), 1);
    const BlockResult tried = *std::ranges::find_if(policy.learned, is_trial);
    EXPECT_EQ(tried.level, 9);
    EXPECT_EQ(tried.raw_bytes, kLong);
    const BlockResult& made = policy.learned.front();
    EXPECT_LT(tried.wire_bytes, made.wire_bytes) << "denser than what was sent";
    EXPECT_GT(tried.compress_seconds, 0);
  }
}

TEST_F(CompressStageTest, NothingIsTriedOfWhatIsShortOrNotToBeKeptOrForNobody) {
  // Goal: the policy is not even asked.
  struct Case {
    std::size_t block_bytes = kLong;
    bool keeps = true;
    bool tries_levels = true;
  };
  for (const Case& one :
       {Case{.block_bytes = kLong / 2}, {.keeps = false}, {.tries_levels = false}}) {
    ScriptedPolicy policy({1}, {.block_bytes = one.block_bytes});
    policy.keeps = one.keeps;
    policy.when_idle = [&](std::size_t) -> std::optional<Trial> {
      ADD_FAILURE();
      return std::nullopt;
    };
    MemorySource source(testkit::some_words(2 * kLong, rng_));
    Fifo fifo(kRoomForAll);
    CompressStage compress = stage({.tries_levels = one.tries_levels}, source, policy, fifo);
    const std::jthread compressing([&] {
      EXPECT_TRUE(compress.run());
      compress.watch_rest();
      fifo.close();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(taken_from(fifo).empty());
  }
}

TEST(TrialTest, EndsInTimeAndWhenNobodyWouldWaitForIt) {
  // Goal: what took too long tells of as much as was made; what would keep the end waiting, of
  // nothing.
  const Ladder ladder = Ladder::named("zstd");
  testkit::Rng rng = testkit::seeded_rng();
  const Bytes block = testkit::some_words(4 << 20, rng);
  Fifo fifo(kRoomForAll);
  BufferStock stock;
  BlockEmitter emitter(ladder, 32 << 10, fifo, stock);
  EXPECT_FALSE(emitter.try_out(block, 5, 100));
  fifo.push(Bytes(10));
  const auto whole = emitter.try_out(block, 12, 100);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->raw_bytes, block.size());
  EXPECT_EQ(whole->codec, CodecId::zstd);
  const auto part = emitter.try_out(block, 28, 1e-3);
  ASSERT_TRUE(part);
  EXPECT_LT(part->raw_bytes, block.size());
  EXPECT_GT(part->raw_bytes, 0U);
  EXPECT_LT(part->wire_bytes, part->raw_bytes / 2);
  EXPECT_EQ(fifo.bytes(), 10U);
}

}  // namespace
}  // namespace adoc
