#include "pipeline/compress_stage.hpp"

#include <future>
#include <latch>
#include <map>
#include <thread>
#include <utility>

#include "control/fixed_policy.hpp"
#include "support/compress_stage_fixture.hpp"
#include "support/patience.hpp"
#include "support/test_streams.hpp"

namespace adoc {
namespace {

using testkit::CompressStageTest;
using testkit::kRoomForAll;
using testkit::MemorySource;
using testkit::ScriptedPolicy;
using testkit::SentBlock;

TEST_F(CompressStageTest, LevelZeroReadsAPacketAndAnyOtherLevelABlock) {
  // Goal: Jeannot 2002, Fig. 1, lines 3 to 14: what is read, and that each is queued as it says.
  ScriptedPolicy policy({0, 0, 1, 9, 0, 5, 0});
  MemorySource source(testkit::some_words(700'000, rng_));
  const auto blocks = run({}, source, policy);
  const std::vector<std::size_t> start(source.asked.begin(), source.asked.begin() + 7);
  EXPECT_EQ(start,
            (std::vector<std::size_t>{8'192, 8'192, 204'800, 204'800, 8'192, 204'800, 8'192}));
  ASSERT_GT(blocks.size(), 6U);
  const std::vector<int> levels{0, 0, 1, 9, 0, 5, 0};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const bool raw = levels[i] == 0;
    EXPECT_EQ(blocks[i].header.level, levels[i]);
    EXPECT_EQ(blocks[i].header.codec,
              static_cast<std::uint8_t>(raw ? CodecId::raw : CodecId::zlib));
    EXPECT_EQ(blocks[i].header.raw_bytes, raw ? 8'192U : 204'800U);
    EXPECT_EQ(blocks[i].fifo_packets == 1, raw);
  }
}

TEST_F(CompressStageTest, ThePolicyHearsTheFifoBeforeAndAfterEachBlock) {
  // Goal: lines 4 and 13 of Fig. 1: the lengths around a block, in packets, and its own level.
  ScriptedPolicy policy({0, 3, 0});
  MemorySource source(testkit::some_words(300'000, rng_));
  const auto blocks = run({}, source, policy);
  ASSERT_EQ(policy.learned.size(), blocks.size());
  std::size_t packets = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(policy.learned[i].level, blocks[i].header.level);
    EXPECT_EQ(policy.learned[i].fifo_before, packets);
    packets += blocks[i].fifo_packets;
    EXPECT_EQ(policy.learned[i].fifo_after, packets);
    EXPECT_EQ(policy.learned[i].raw_bytes, blocks[i].header.raw_bytes);
    EXPECT_FALSE(policy.learned[i].cut);
  }
  const auto decisions = observer_.decisions();
  ASSERT_EQ(decisions.size(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(decisions[i].block, i);
    EXPECT_EQ(decisions[i].level, blocks[i].header.level);
    EXPECT_EQ(decisions[i].raw_bytes, blocks[i].header.raw_bytes);
    EXPECT_EQ(decisions[i].fifo_packets, policy.learned[i].fifo_after);
    EXPECT_EQ(decisions[i].wire_bytes, policy.learned[i].wire_bytes);
    EXPECT_GT(decisions[i].wire_bytes, blocks[i].stored_bytes);
  }
}

TEST_F(CompressStageTest, ABlockThatWouldGrowGoesRawAtEveryRung) {
  // Goal: noise and tiny blocks cost their framing and nothing else; what is compressed has shrunk.
  for (const char* ladder : {"zlib", "lz4", "zstd", "auto"}) {
    const Ladder rungs = Ladder::named(ladder);
    for (int level = 1; level <= rungs.last(); ++level) {
      SCOPED_TRACE(std::string(ladder) + " " + std::to_string(level));
      for (const std::size_t size : {1UL, 3UL, 10UL, 64UL, 1'000UL, 8'192UL, 40'000UL}) {
        ScriptedPolicy policy({level});
        MemorySource noise(testkit::some_noise(size, rng_));
        const auto blocks = run({.ladder = ladder, .packet_bytes = 1'024}, noise, policy);
        ASSERT_EQ(blocks.size(), 1U);
        EXPECT_EQ(blocks[0].header.codec, static_cast<std::uint8_t>(CodecId::raw)) << size;
        EXPECT_EQ(blocks[0].stored_bytes, size);
        MemorySource words(testkit::some_words(size, rng_));
        for (const SentBlock& block : run({.ladder = ladder, .packet_bytes = 64}, words, policy)) {
          if (block.header.codec == static_cast<std::uint8_t>(CodecId::raw)) {
            EXPECT_EQ(block.stored_bytes, size);
            EXPECT_LT(size, 8'192U) << "words shrink";
          } else {
            EXPECT_LT(block.stored_bytes, size);
          }
        }
      }
    }
  }
}

TEST_F(CompressStageTest, APeerGetsDenseBlocksOnlyIfItTakesThem) {
  // Goal: one that did not say so gets the densest level below, in blocks of that one's length, and
  // the trace says why; no other is longer than such a block may be.
  const Ladder ladder = Ladder::named("auto");
  if (ladder.last() == ladder.top()) GTEST_SKIP() << "built without libbzip3";
  const Bytes data(9 << 20, std::byte{7});
  for (const bool takes : {false, true}) {
    features_ = takes ? kAllFeatures : kAllFeatures & ~static_cast<std::uint64_t>(Feature::dense);
    FixedPolicy policy(ladder.last(), kMaxRawBlockBytes);
    MemorySource source(data);
    Fifo fifo(kRoomForAll);
    EXPECT_TRUE(stage({.ladder = "auto"}, source, policy, fifo).run());
    fifo.close();
    auto decisions = observer_.decisions();
    if (takes) decisions.erase(decisions.begin(), decisions.begin() + 2);
    ASSERT_EQ(decisions.size(), takes ? 3U : 2U);
    EXPECT_EQ(decisions[0].codec, takes ? "bzip3" : "zstd");
    EXPECT_EQ(decisions[0].level, takes ? ladder.last() : ladder.last() - 3);
    EXPECT_EQ(decisions[0].reason, takes ? "fixed" : "peer");
    EXPECT_EQ(decisions[0].raw_bytes, takes ? kMaxDenseBlockBytes : std::size_t{8} << 20);
    EXPECT_TRUE(testkit::received(CompressStageTest::taken_from(fifo), 2) == data);
  }
}

TEST_F(CompressStageTest, ThePolicyIsToldHowMuchIsLeftAndWhatThePeerTakes) {
  // Goal: what is still to be read when a block is chosen for, once that is known.
  for (const bool known : {false, true}) {
    features_ = known ? static_cast<std::uint64_t>(Feature::dense) : 0;
    ScriptedPolicy policy({1});
    MemorySource source(Bytes(3 * 204'800));
    Fifo fifo(kRoomForAll);
    CompressStage stage = this->stage({}, source, policy, fifo);
    if (known) stage.expect(3 * 204'800);
    EXPECT_TRUE(stage.run());
    ASSERT_EQ(policy.seen.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(policy.seen[i].takes_dense, known);
      EXPECT_EQ(policy.seen[i].left_bytes.has_value(), known);
      EXPECT_EQ(policy.seen[i].left_bytes.value_or(0), known ? (2 - i) * 204'800 : 0);
    }
  }
}

TEST_F(CompressStageTest, PacketsAreQueuedWhileTheirBlockIsStillBeingCompressed) {
  // Goal: section 3.3: the first packet can be sent although the end of the block has not been
  // looked at by the compressor. Shown by changing that end once the packet is there: what is
  // compressed is the changed one.
  constexpr std::size_t kTail = 20'000;
  struct Source final : BlockSource {
    explicit Source(Bytes bytes) : data(std::move(bytes)) {}
    std::optional<RawBlock> next(std::span<std::byte> into) override {
      if (!given.empty()) return std::nullopt;
      std::copy(data.begin(), data.end(), into.begin());
      given = into.first(data.size());
      return RawBlock{0, 0, given};
    }
    Bytes data;
    std::span<std::byte> given;
  } source(testkit::some_noise(204'800, rng_));
  // Sixteen letters in any order: half of it is saved, and little of that by repetitions, which
  // would let zlib take in the whole block before its first output.
  for (std::byte& byte : source.data) byte = byte & std::byte{15};
  ScriptedPolicy policy({6});
  Fifo fifo(1);
  CompressStage compress = stage({.packet_bytes = 64}, source, policy, fifo);
  const std::jthread compressing([&] {
    EXPECT_TRUE(compress.run());
    fifo.close();
  });
  std::vector<Buffer> items;
  ASSERT_TRUE(fifo.pop_some(items, 1));
  // The FIFO is full as long as what was taken is not released: the compressor is in its block.
  EXPECT_TRUE(observer_.decisions().empty());
  for (const auto bytes : {std::span(source.data), source.given})
    std::fill(bytes.end() - kTail, bytes.end(), std::byte{'!'});
  Bytes sent;
  do {
    for (const Buffer& item : items) {
      sent.insert(sent.end(), item.begin(), item.end());
      fifo.release();
    }
    items.clear();
  } while (fifo.pop_some(items, 1));

  Bytes stored;
  for (const Bytes& frame : testkit::split_frames(sent))
    if (FrameHeader::decode(frame).type == FrameType::packet)
      stored.insert(stored.end(), frame.begin() + kFrameHeaderBytes, frame.end());
  Bytes raw(source.data.size());
  make_decompressor(CodecId::zlib)->decompress(stored, raw);
  EXPECT_EQ(raw, source.data);
}

TEST_F(CompressStageTest, AFullFifoCountsAsOneThatGrows) {
  // Goal: what waits outside a full FIFO would have made the paper's, which has no bound, longer;
  // the law must not hear of a FIFO that stays or shrinks.
  constexpr std::size_t kCapacity = 2;
  ScriptedPolicy policy({1, 1, 1});
  MemorySource source(testkit::some_words(3 * 204'800, rng_));
  Fifo fifo(kCapacity);
  CompressStage compress = stage({.packet_bytes = 64}, source, policy, fifo);
  std::jthread compressing([&] {
    EXPECT_TRUE(compress.run());
    fifo.close();
  });
  while (fifo.size() < kCapacity) std::this_thread::yield();
  for (std::vector<Buffer> items; fifo.pop_some(items, 1); items.clear()) fifo.release();
  compressing.join();
  ASSERT_EQ(policy.learned.size(), 3U);
  EXPECT_GT(policy.learned[0].fifo_after, policy.learned[0].fifo_before);
}

TEST_F(CompressStageTest, AFifoThatRanDryDuringAHeldBlockCountsAsEmpty) {
  // Goal: a block that is held back until its end puts all its packets in at once; a link that was
  // idle meanwhile is not taken for a slow one.
  ScriptedPolicy policy({1, 1});
  MemorySource source(testkit::some_noise(2 * 204'800, rng_));
  const auto blocks = run({}, source, policy);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(policy.learned[0].fifo_after, 0U) << "nothing was there to send";
  EXPECT_EQ(policy.learned[1].fifo_before, blocks[0].fifo_packets);
  EXPECT_EQ(policy.learned[1].fifo_after, blocks[0].fifo_packets + blocks[1].fifo_packets)
      << "nobody took anything, so the link is slow";
}

TEST_F(CompressStageTest, WhatACutLeavesDoesNotWaitForTheOneThatReads) {
  // Goal: the thread whose lane leaves goes on with the rest of its block while another, which
  // wants to read, waits for room or for a source that is silent until that rest has come: each
  // waiting for the other was a transfer that hung.
  struct Source final : BlockSource {
    explicit Source(Bytes bytes) : data(std::move(bytes)) {}
    std::optional<RawBlock> next(std::span<std::byte> into) override {
      if (position == data.size()) {
        all_of_it_came.wait();
        return std::nullopt;
      }
      const std::size_t count = std::min(into.size(), data.size() - position);
      std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(position), count, into.begin());
      position += count;
      return RawBlock{0, position - count, into.first(count)};
    }
    Bytes data;
    std::size_t position = 0;
    std::shared_future<void> all_of_it_came;
  };
  constexpr std::size_t kLong = 3 << 19;
  constexpr std::size_t kRawBlocks = 40;
  features_ = static_cast<std::uint64_t>(Feature::cuts);
  ScriptedPolicy policy({28, 0}, {.raw_bytes = 8'192, .block_bytes = kLong});
  Source source(testkit::some_words(kLong + kRawBlocks * 8'192, rng_));
  std::promise<void> came;
  source.all_of_it_came = came.get_future().share();
  Fifo fifo(4);
  CompressStage compress = stage({.ladder = "zstd", .threads = 2}, source, policy, fifo);
  std::once_flag once;
  const auto let_source_end = [&] { std::call_once(once, [&] { came.set_value(); }); };
  std::vector<std::future<void>> threads;
  for (int i = 0; i < 2; ++i)
    threads.push_back(std::async(std::launch::async, [&] {
      if (compress.run()) fifo.close();
    }));
  threads.push_back(std::async(std::launch::async, [&] {
    Bytes sent;
    std::size_t raw_bytes = 0;
    std::size_t announced = 0;
    for (std::vector<Buffer> items; fifo.pop_some(items, 1); items.clear()) {
      sent.insert(sent.end(), items.front().begin(), items.front().end());
      for (const Bytes& frame : testkit::split_frames(items.front())) {
        const FrameType type = FrameHeader::decode(frame).type;
        if (type == FrameType::packet) continue;
        const ByteSpan record = open_record(type, ByteSpan(frame).subspan(kFrameHeaderBytes));
        if (type == FrameType::block) announced = BlockHeader::decode(record).raw_bytes;
        if (type == FrameType::block_end) raw_bytes += announced;
        if (type == FrameType::cut) raw_bytes += Cut::decode(record).raw_bytes;
      }
      fifo.release();
      if (raw_bytes == source.data.size()) let_source_end();
    }
    EXPECT_TRUE(testkit::received(sent) == source.data);
  }));
  const auto deadline = std::chrono::steady_clock::now() + testkit::kPatience;
  for (auto& thread : threads) {
    if (thread.wait_until(deadline) != std::future_status::timeout) continue;
    ADD_FAILURE() << "it hangs";
    const auto why = std::make_exception_ptr(Error(ErrorKind::internal, "it hangs"));
    fifo.fail(why);
    compress.fail(why);
    let_source_end();
  }
  for (auto& thread : threads) EXPECT_NO_THROW(thread.get());
  EXPECT_TRUE(std::ranges::any_of(policy.learned, &BlockResult::cut)) << "nothing was cut";
}

TEST_F(CompressStageTest, APeerGetsOnlyTheFramesOfTheFeaturesThatItNamed) {
  // Goal: one that names nothing gets blocks as they always were, whatever would be better.
  constexpr auto kLinked = static_cast<std::uint64_t>(Feature::linked_blocks);
  constexpr auto kCuts = static_cast<std::uint64_t>(Feature::cuts);
  for (const std::uint64_t features : {std::uint64_t{0}, kLinked, kCuts, kLinked | kCuts}) {
    SCOPED_TRACE(features);
    features_ = features;
    ScriptedPolicy policy({28}, {.block_bytes = 3 << 19});
    MemorySource source(testkit::some_words(3 << 19, rng_));
    Fifo fifo(kRoomForAll);
    CompressStage compress = stage({.ladder = "zstd"}, source, policy, fifo);
    const std::jthread compressing([&] {
      EXPECT_TRUE(compress.run());
      fifo.close();
    });
    std::map<FrameType, int> frames;
    for (const Bytes& frame : testkit::split_frames(taken_from(fifo)))
      ++frames[FrameHeader::decode(frame).type];
    EXPECT_EQ(frames.contains(FrameType::linked_block), (features & kLinked) != 0);
    EXPECT_EQ(frames.contains(FrameType::block), (features & kLinked) == 0);
    EXPECT_EQ(frames.contains(FrameType::cut), (features & kCuts) != 0);
  }
}

TEST_F(CompressStageTest, ABlockIsNotCutForALinkThatHasAQueue) {
  // Goal: the system takes all that a dense block gives, a burst now and then, and has none of it
  // left; as long as that waits on its way, the link has something to send.
  struct QueueingStream final : testkit::StubStream {
    explicit QueueingStream(Delivery delivery) : told(delivery) {}
    std::size_t read_some(std::span<std::byte>) override { return 0; }
    std::size_t write_some(std::span<const ByteSpan>) override { return 0; }
    [[nodiscard]] std::optional<Delivery> delivery() const noexcept override { return told; }
    Delivery told;
  };
  features_ = static_cast<std::uint64_t>(Feature::cuts);
  for (const bool queues : {false, true}) {
    SCOPED_TRACE(queues);
    const QueueingStream stream({.queue_seconds = queues ? 20e-3 : 0});
    ScriptedPolicy policy({28}, {.block_bytes = 3 << 19});
    MemorySource source(testkit::some_words(3 << 19, rng_));
    Fifo fifo(kRoomForAll);
    CompressStage compress = stage({.ladder = "zstd", .stream = &stream}, source, policy, fifo);
    const std::jthread compressing([&] {
      EXPECT_TRUE(compress.run());
      fifo.close();
    });
    int cuts = 0;
    for (const Bytes& frame : testkit::split_frames(taken_from(fifo)))
      if (FrameHeader::decode(frame).type == FrameType::cut) ++cuts;
    EXPECT_EQ(cuts == 0, queues);
  }
}

TEST_F(CompressStageTest, AStreamThatIsBusyIsAskedSeldom) {
  // Goal: who asks it where the bytes are would wait until the system has taken what it is given,
  // and all threads for the one that asks; what is known is never older than a millisecond for it.
  struct BusyStream final : testkit::StubStream {
    std::size_t read_some(std::span<std::byte>) override { return 0; }
    std::size_t write_some(std::span<const ByteSpan>) override { return 0; }
    [[nodiscard]] std::optional<Delivery> delivery() const noexcept override {
      ++asked;
      return Delivery{};
    }
    [[nodiscard]] bool delivery_waits() const noexcept override { return true; }
    mutable std::atomic<int> asked = 0;
  };
  const BusyStream stream;
  ScriptedPolicy policy({1}, {.block_bytes = 10'000});
  MemorySource source(testkit::some_words(8 << 20, rng_));
  Fifo fifo(kRoomForAll);
  CompressStage compress = stage({.stream = &stream}, source, policy, fifo);
  const Clock::time_point begin = Clock::now();
  EXPECT_TRUE(compress.run());
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  EXPECT_GE(stream.asked, 2);
  EXPECT_LE(stream.asked, took.count() + 1);
}

TEST_F(CompressStageTest, BlocksAreCountedAtTheirLevels) {
  // Goal: the figures of the transfer.
  ScriptedPolicy policy({0, 2, 2, 0});
  MemorySource source(testkit::some_words(8'192 + 2 * 204'800 + 5, rng_));
  Fifo fifo(kRoomForAll);
  CompressStage compress = stage({}, source, policy, fifo);
  EXPECT_TRUE(compress.run());
  EXPECT_EQ(compress.blocks_at_level(), (std::vector<std::uint64_t>{2, 0, 2, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(counters_.raw_bytes, 8'192U + 2 * 204'800U + 5U);
}

/// Gives a block when it is told to.
class HeldSource final : public BlockSource {
 public:
  std::optional<RawBlock> next(std::span<std::byte> into) override {
    released.wait();
    return std::exchange(done_, true) ? std::nullopt
                                      : std::optional(RawBlock{0, 0, into.first(40'000)});
  }
  std::latch released{1};

 private:
  bool done_ = false;
};

TEST_F(CompressStageTest, AReaderThatWaitsIsSeenWhileItWaits) {
  // Goal: what is observed names the source while nothing comes from it, not only afterwards, and
  // counts nothing for the other threads.
  FixedPolicy policy(1, 204'800);
  HeldSource source;
  Fifo fifo(kRoomForAll);
  CompressStage stage = this->stage({}, source, policy, fifo);
  {
    const std::jthread running([&] { EXPECT_TRUE(stage.run()); });
    // More than is expected below: once it is read, what that took of a processor is left out.
    while (stage.observation().source_seconds < 0.03) std::this_thread::yield();
    const Observation seen = stage.observation();
    EXPECT_LE(seen.source_seconds, seen.time_seconds);
    EXPECT_EQ(seen.making_seconds, 0);
    source.released.count_down();
  }
  const auto decisions = observer_.decisions();
  ASSERT_EQ(decisions.size(), 1U);
  const Observation& seen = decisions.front().seen;
  EXPECT_GE(seen.source_seconds, 0.02);
  EXPECT_GT(seen.making_seconds, 0);
  EXPECT_EQ(seen.time_seconds, decisions.front().time_seconds);
  EXPECT_GT(seen.queued_bytes, 0U);
  fifo.close();
}

TEST_F(CompressStageTest, AnObservationGoesOnFromEarlierConnections) {
  // Goal: time and sums of what a connection did count from those before it.
  FixedPolicy policy(1, 204'800);
  MemorySource source(testkit::some_words(1'000, rng_));
  Fifo fifo(kRoomForAll);
  CompressStage::Setup setup{.ladder = ladder_ = Ladder::named("zlib"),
                             .policy = policy,
                             .packet_bytes = 8'192,
                             .block_bytes = 0,
                             .threads = 1,
                             .memory_bytes = SIZE_MAX,
                             .source = source,
                             .fifo = fifo,
                             .stock = stock_,
                             .counters = counters_,
                             .receiver = receiver_,
                             .peer_features = features_,
                             .observer = &observer_,
                             .before = {.time_seconds = 100,
                                        .arrived_bytes = 1'000,
                                        .receiver_seconds = 50,
                                        .written_bytes = 3'000}};
  receiver_.tell({.seconds = 2, .stalled_seconds = 1, .written_bytes = 500});
  CompressStage stage(setup);
  EXPECT_TRUE(stage.run());
  const Observation seen = observer_.decisions().front().seen;
  EXPECT_GE(seen.time_seconds, 100);
  EXPECT_EQ(seen.arrived_bytes, 1'000U);
  EXPECT_EQ(seen.receiver_seconds, 52);
  EXPECT_EQ(seen.receiver_stalled_seconds, 1);
  EXPECT_EQ(seen.written_bytes, 3'500U);
  fifo.close();
}

}  // namespace
}  // namespace adoc
