#include "pipeline/compress_stage.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "support/made_up_frames.hpp"
#include "support/pipeline_ends.hpp"

namespace adoc {
namespace {

using testkit::MemorySource;
using testkit::ScriptedPolicy;

constexpr std::size_t kRoomForAll = 1'000'000;

class DecisionCounter final : public Observer {
 public:
  void on_decision(const Decision& decision) override {
    const std::lock_guard lock(mutex_);
    decisions_.push_back(decision);
  }
  [[nodiscard]] std::vector<Decision> decisions() const {
    const std::lock_guard lock(mutex_);
    return decisions_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Decision> decisions_;
};

/// A block as it went into the FIFO.
struct SentBlock {
  BlockHeader header;
  std::vector<Bytes> packets;
  std::size_t stored_bytes = 0;
};

class CompressStageTest : public testing::Test {
 protected:
  struct Options {
    std::string ladder = "zlib";
    std::size_t block_bytes = 204'800;
    std::size_t packet_bytes = 8'192;
  };

  [[nodiscard]] CompressStage stage(const Options& options, BlockSource& source, Policy& policy,
                                    Fifo& fifo) {
    ladder_ = Ladder::named(options.ladder);
    return CompressStage({.ladder = ladder_,
                          .policy = policy,
                          .block_bytes = options.block_bytes,
                          .packet_bytes = options.packet_bytes,
                          .source = source,
                          .fifo = fifo,
                          .stock = stock_,
                          .counters = counters_,
                          .observer = &observer_});
  }

  /// Runs the stage over the data with nobody taking packets, and gives the blocks it made.
  std::vector<SentBlock> run(const Options& options, MemorySource& source, Policy& policy) {
    Fifo fifo(kRoomForAll);
    stage(options, source, policy, fifo).run();
    std::vector<SentBlock> blocks;
    while (const auto item = fifo.try_pop()) {
      std::size_t packets = 0;
      for (const Bytes& frame : testkit::split_frames(*item)) {
        const FrameType type = FrameHeader::decode(frame).type;
        const ByteSpan payload = ByteSpan(frame).subspan(kFrameHeaderBytes);
        if (type == FrameType::block) {
          blocks.emplace_back().header = BlockHeader::decode(open_record(type, payload));
        } else if (type == FrameType::packet) {
          ++packets;
          EXPECT_LE(payload.size(), options.packet_bytes);
          EXPECT_FALSE(payload.empty());
          blocks.back().packets.emplace_back(payload.begin(), payload.end());
          blocks.back().stored_bytes += payload.size();
        } else {
          EXPECT_EQ(type, FrameType::block_end);
          EXPECT_EQ(BlockEnd::decode(open_record(type, payload)).stored_bytes,
                    blocks.back().stored_bytes);
        }
      }
      EXPECT_LE(packets, 1U) << "an item of the FIFO is one packet";
    }
    return blocks;
  }

  testkit::Rng rng_ = testkit::seeded_rng();
  Ladder ladder_ = Ladder::named("zlib");
  BufferStock stock_{CompressStage::buffer_bytes(8'192)};
  PipelineCounters counters_;
  DecisionCounter observer_;
};

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
    EXPECT_EQ(blocks[i].packets.size() == 1, raw);
  }
}

TEST_F(CompressStageTest, ThePolicyHearsTheFifoBeforeAndAfterEachBlock) {
  // Goal: lines 4 and 13 of Fig. 1: the lengths around a block, in packets, and its own level.
  ScriptedPolicy policy({0, 3, 0});
  MemorySource source(testkit::some_words(300'000, rng_));
  const auto blocks = run({}, source, policy);
  ASSERT_EQ(policy.observed.size(), blocks.size());
  std::size_t packets = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(policy.observed[i].level, blocks[i].header.level);
    EXPECT_EQ(policy.observed[i].fifo_before, packets);
    packets += blocks[i].packets.size();
    EXPECT_EQ(policy.observed[i].fifo_after, packets);
  }
  const auto decisions = observer_.decisions();
  ASSERT_EQ(decisions.size(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(decisions[i].block, i);
    EXPECT_EQ(decisions[i].level, blocks[i].header.level);
    EXPECT_EQ(decisions[i].raw_bytes, blocks[i].header.raw_bytes);
    EXPECT_EQ(decisions[i].fifo_packets, policy.observed[i].fifo_after);
    EXPECT_GT(decisions[i].wire_bytes, blocks[i].stored_bytes);
  }
}

TEST_F(CompressStageTest, ABlockThatWouldGrowGoesRawAtEveryRung) {
  // Goal: noise and tiny blocks cost their framing and nothing else; what is compressed has shrunk.
  for (const char* ladder : {"zlib", "lz4", "zstd", "auto"}) {
    const Ladder rungs = Ladder::named(ladder);
    for (int level = 1; level <= rungs.top(); ++level) {
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

TEST_F(CompressStageTest, PacketsAreQueuedWhileTheirBlockIsStillBeingCompressed) {
  // Goal: section 3.3: the first packet can be sent although the end of the block has not been
  // looked at by the compressor. Shown by changing that end once the packet is there: what is
  // compressed is the changed one.
  constexpr std::size_t kTail = 20'000;
  struct Source final : BlockSource {
    explicit Source(Bytes bytes) : data(std::move(bytes)) {}
    std::optional<RawBlock> next(std::size_t) override {
      if (std::exchange(given, true)) return std::nullopt;
      return RawBlock{0, 0, data};
    }
    Bytes data;
    bool given = false;
  } source(testkit::some_noise(204'800, rng_));
  // Sixteen letters in any order: half of it is saved, and little of that by repetitions, which
  // would let zlib take in the whole block before its first output.
  for (std::byte& byte : source.data) byte = byte & std::byte{15};
  ScriptedPolicy policy({6});
  Fifo fifo(1);
  CompressStage compress = stage({.packet_bytes = 64}, source, policy, fifo);
  const std::jthread compressing([&] {
    compress.run();
    fifo.close();
  });
  Bytes sent = *fifo.pop();
  EXPECT_TRUE(observer_.decisions().empty());
  std::fill(source.data.end() - kTail, source.data.end(), std::byte{'!'});
  while (const auto item = fifo.pop()) sent.insert(sent.end(), item->begin(), item->end());

  Bytes raw(source.data.size());
  const auto decompressor = make_decompressor(CodecId::zlib);
  decompressor->begin(raw);
  for (const Bytes& frame : testkit::split_frames(sent))
    if (FrameHeader::decode(frame).type == FrameType::packet)
      decompressor->feed(ByteSpan(frame).subspan(kFrameHeaderBytes));
  decompressor->finish();
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
    compress.run();
    fifo.close();
  });
  while (fifo.size() < kCapacity) std::this_thread::yield();
  while (fifo.pop()) {
  }
  compressing.join();
  ASSERT_EQ(policy.observed.size(), 3U);
  EXPECT_GT(policy.observed[0].fifo_after, policy.observed[0].fifo_before);
}

TEST_F(CompressStageTest, AFifoThatRanDryDuringAHeldBlockCountsAsEmpty) {
  // Goal: a block that is held back until its end puts all its packets in at once; a link that was
  // idle meanwhile is not taken for a slow one.
  ScriptedPolicy policy({1, 1});
  MemorySource source(testkit::some_noise(2 * 204'800, rng_));
  const auto blocks = run({}, source, policy);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(policy.observed[0].fifo_after, 0U) << "nothing was there to send";
  EXPECT_EQ(policy.observed[1].fifo_before, blocks[0].packets.size());
  EXPECT_EQ(policy.observed[1].fifo_after, blocks[0].packets.size() + blocks[1].packets.size())
      << "nobody took anything, so the link is slow";
}

TEST_F(CompressStageTest, BlocksAreCountedAtTheirLevels) {
  // Goal: the figures of the transfer.
  ScriptedPolicy policy({0, 2, 2, 0});
  MemorySource source(testkit::some_words(8'192 + 2 * 204'800 + 5, rng_));
  Fifo fifo(kRoomForAll);
  CompressStage compress = stage({}, source, policy, fifo);
  compress.run();
  EXPECT_EQ(compress.blocks_at_level(), (std::vector<std::uint64_t>{2, 0, 2, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(counters_.raw_bytes, 8'192U + 2 * 204'800U + 5U);
}

}  // namespace
}  // namespace adoc
