#include "pipeline/block_emitter.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/made_up_frames.hpp"
#include "support/receiving_end.hpp"

namespace adoc {
namespace {

constexpr std::size_t kLongBlock = 3 << 19;  // 1.5 MiB: long enough to be cut
constexpr std::size_t kPacketBytes = 8'192;

/// Takes and keeps all that leaves a FIFO, at once: a link without limits.
class FastLink {
 public:
  /// `each`: how long one item takes it.
  explicit FastLink(Fifo& fifo, std::chrono::microseconds each = {}) : fifo_(fifo), each_(each) {}
  ~FastLink() { static_cast<void>(sent()); }

  /// After the FIFO is closed.
  const Bytes& sent() {
    fifo_.close();
    if (taking_.joinable()) taking_.join();
    return sent_;
  }

 private:
  Fifo& fifo_;
  const std::chrono::microseconds each_;
  Bytes sent_;
  std::jthread taking_{[this] {
    for (std::vector<Buffer> items; fifo_.pop_some(items, 9); items.clear())
      for (const Buffer& item : items) {
        sent_.insert(sent_.end(), item.begin(), item.end());
        if (each_.count() != 0) std::this_thread::sleep_for(each_);
        fifo_.release();
      }
  }};
};

class BlockEmitterTest : public testing::Test {
 protected:
  [[nodiscard]] int level_of(int zstd_setting) const {
    int level = 0;
    while (ladder_[level] != Rung{CodecId::zstd, zstd_setting}) ++level;
    return level;
  }

  /// A block of the data from `offset` on, all of the rest.
  [[nodiscard]] BlockEmitter::Task task(int zstd_setting, std::size_t offset = 0) {
    return {.block = {.offset = offset, .bytes = ByteSpan(data_).subspan(offset)},
            .level = level_of(zstd_setting),
            .lane = lane_,
            .may_cut = true};
  }

  [[nodiscard]] static std::size_t count(FrameType type, const Bytes& sent) {
    return static_cast<std::size_t>(std::ranges::count_if(
        testkit::split_frames(sent),
        [type](const Bytes& frame) { return FrameHeader::decode(frame).type == type; }));
  }

  /// Emits all of the data, block by block, and closes the lane.
  std::vector<std::size_t> emit_all(int zstd_setting, bool linked) {
    std::vector<std::size_t> blocks;
    for (std::size_t offset = 0; offset < data_.size(); offset += blocks.back()) {
      auto next = task(zstd_setting, offset);
      next.linked = linked;
      const auto written = emitter_.emit(next);
      EXPECT_GT(written.raw_bytes, 0U);
      blocks.push_back(written.raw_bytes);
    }
    fifo_.close(lane_);
    return blocks;
  }

  testkit::Rng rng_ = testkit::seeded_rng();
  Ladder ladder_ = Ladder::named("zstd");
  Bytes data_ = testkit::some_words(kLongBlock, rng_);
  Fifo fifo_{1'000'000};
  BufferStock stock_;
  Fifo::Lane lane_ = fifo_.open();
  BlockEmitter emitter_{ladder_, kPacketBytes, fifo_, stock_};
};

TEST_F(BlockEmitterTest, ALongBlockIsCutWhileTheLinkHasNothingElse) {
  // Goal: a fast link does not wait for the end of a dense block, and what was cut arrives whole.
  for (const bool linked : {false, true}) {
    SCOPED_TRACE(linked ? "linked" : "not linked");
    Fifo fifo(1'000'000);
    BlockEmitter emitter(ladder_, kPacketBytes, fifo, stock_);
    lane_ = fifo.open();
    FastLink link(fifo);
    std::size_t cuts = 0;
    for (std::size_t offset = 0; offset < data_.size();) {
      auto next = task(19, offset);
      next.linked = linked;
      const auto written = emitter.emit(next);
      ASSERT_GT(written.raw_bytes, 0U);
      offset += written.raw_bytes;
      if (offset < data_.size()) ++cuts;
    }
    fifo.close(lane_);
    const Bytes& sent = link.sent();
    EXPECT_GE(cuts, 1U);
    EXPECT_EQ(count(FrameType::cut, sent), cuts);
    EXPECT_EQ(count(FrameType::block_end, sent), 1U);
    EXPECT_EQ(count(linked ? FrameType::linked_block : FrameType::block, sent), cuts + 1);
    for (const std::size_t threads : {1U, 3U})
      EXPECT_TRUE(testkit::received(sent, threads) == data_);
  }
}

TEST_F(BlockEmitterTest, ABlockIsCutAlsoIfItsPacketsComeSeveralAtOnce) {
  // Goal: a compressor gives the packets of 128 KiB at once and then none for long; while the link
  // sends one, there is another, and yet it waits most of the time.
  FastLink link(fifo_, std::chrono::microseconds(200));
  const auto written = emitter_.emit(task(19));
  EXPECT_LT(written.raw_bytes, kLongBlock / 2);
  fifo_.close(lane_);
  EXPECT_EQ(count(FrameType::cut, link.sent()), 1U);
}

TEST_F(BlockEmitterTest, ABlockIsNotCutWhileTheLinkHasWork) {
  // Goal: on a slow link the ratio counts: nobody takes anything here.
  EXPECT_EQ(emit_all(16, false), std::vector<std::size_t>{kLongBlock});
  FastLink link(fifo_);
  EXPECT_EQ(count(FrameType::cut, link.sent()), 0U);
  EXPECT_TRUE(testkit::received(link.sent()) == data_);
}

TEST_F(BlockEmitterTest, ABlockBehindTheFirstLaneIsNotCut) {
  // Goal: a link that waits for another lane gains nothing from the end of this one.
  FastLink link(fifo_);
  const Fifo::Lane first = std::exchange(lane_, fifo_.open());
  EXPECT_EQ(emit_all(16, false), std::vector<std::size_t>{kLongBlock});
  fifo_.close(first);
  EXPECT_EQ(count(FrameType::cut, link.sent()), 0U);
}

TEST_F(BlockEmitterTest, ABlockIsNotCutForAPeerThatKnowsNoCutsNorAShortOne) {
  // Goal: a cut is an agreement, and not worth it where the end is near.
  FastLink link(fifo_);
  auto next = task(16);
  next.may_cut = false;
  EXPECT_EQ(emitter_.emit(next).raw_bytes, kLongBlock);
  next = task(16, kLongBlock - 1'000'000);
  EXPECT_EQ(emitter_.emit(next).raw_bytes, 1'000'000U);
  fifo_.close(lane_);
  EXPECT_EQ(count(FrameType::cut, link.sent()), 0U);
}

TEST_F(BlockEmitterTest, APrefixIsSaidOnlyWhereItWasUsed) {
  // Goal: a block that does not shrink goes raw, and needs nothing of what was before it.
  const Bytes noise = testkit::some_noise(100'000, rng_);
  const ByteSpan prefix = ByteSpan(data_).first(300'000);
  const auto emit = [&](ByteSpan bytes, std::size_t offset, ByteSpan before) {
    static_cast<void>(emitter_.emit({.block = {.offset = offset, .bytes = bytes},
                                     .stats = sample_stats(bytes),
                                     .level = level_of(5),
                                     .lane = lane_,
                                     .linked = true,
                                     .prefix = before}));
  };
  emit(prefix, 0, {});
  emit(noise, 300'000, prefix);
  emit(prefix, 400'000, noise);
  fifo_.close(lane_);
  FastLink link(fifo_);
  std::vector<std::pair<CodecId, std::size_t>> blocks;
  for (const Bytes& frame : testkit::split_frames(link.sent()))
    if (FrameHeader::decode(frame).type == FrameType::linked_block) {
      const auto header = LinkedBlockHeader::decode(
          open_record(FrameType::linked_block, ByteSpan(frame).subspan(kFrameHeaderBytes)));
      blocks.emplace_back(static_cast<CodecId>(header.block.codec), header.prefix_bytes);
    }
  EXPECT_EQ(blocks, (std::vector<std::pair<CodecId, std::size_t>>{
                        {CodecId::zstd, 0}, {CodecId::raw, 0}, {CodecId::zstd, 100'000}}));
  Bytes all(prefix.begin(), prefix.end());
  all.insert(all.end(), noise.begin(), noise.end());
  all.insert(all.end(), prefix.begin(), prefix.end());
  EXPECT_TRUE(testkit::received(link.sent(), 2) == all);
}

TEST_F(BlockEmitterTest, AWholeRawBlockIsMovedAndCountsAsItsPackets) {
  // Goal: level 0 copies nothing, and the FIFO's length is what it would be in packets.
  Buffer buffer = data_;
  buffer.resize(204'800);
  const std::byte* const memory = buffer.data();
  const auto written = emitter_.emit(
      {.block = {.bytes = buffer}, .stats = {}, .level = 0, .lane = lane_, .whole = &buffer});
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(fifo_.size(), 25U);
  EXPECT_EQ(fifo_.bytes(), written.wire_bytes);
  fifo_.close(lane_);
  std::vector<Buffer> items;
  ASSERT_TRUE(fifo_.pop_some(items, 9));
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[1].data(), memory);
}

}  // namespace
}  // namespace adoc
