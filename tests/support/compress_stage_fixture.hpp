#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "pipeline/compress_stage.hpp"
#include "support/made_up_frames.hpp"
#include "support/pipeline_ends.hpp"
#include "support/receiving_end.hpp"

namespace adoc::testkit {

inline constexpr std::size_t kRoomForAll = 1'000'000;

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
  std::size_t fifo_packets = 0;
};

class CompressStageTest : public testing::Test {
 protected:
  struct Options {
    std::string ladder = "zlib";
    std::size_t packet_bytes = 8'192;
    std::size_t threads = 1;
    const Stream* stream = nullptr;
    bool filters = false;
    std::size_t item_bytes = 0;
  };

  [[nodiscard]] CompressStage stage(const Options& options, BlockSource& source, Policy& policy,
                                    Fifo& fifo) {
    ladder_ = Ladder::named(options.ladder);
    return CompressStage({.ladder = ladder_,
                          .policy = policy,
                          .packet_bytes = options.packet_bytes,
                          .block_bytes = 0,
                          .threads = options.threads,
                          .memory_bytes = SIZE_MAX,
                          .source = source,
                          .fifo = fifo,
                          .stock = stock_,
                          .counters = counters_,
                          .receiver = receiver_,
                          .peer_features = features_,
                          .observer = &observer_,
                          .stream = options.stream,
                          .filters = options.filters,
                          .item_bytes = options.item_bytes});
  }

  /// Runs the stage over the data with nobody taking packets, and gives the blocks it made.
  std::vector<SentBlock> run(const Options& options, MemorySource& source, Policy& policy) {
    Fifo fifo(kRoomForAll);
    EXPECT_TRUE(stage(options, source, policy, fifo).run());
    fifo.close();
    const std::size_t weight = fifo.size();
    const auto blocks = blocks_in(taken_from(fifo), options.packet_bytes);
    std::size_t packets = 0;
    for (const SentBlock& block : blocks) packets += block.fifo_packets;
    EXPECT_EQ(packets, weight) << "the FIFO's length is its packets";
    return blocks;
  }

  static Bytes taken_from(Fifo& fifo) {
    Bytes all;
    for (std::vector<Buffer> items; fifo.pop_some(items, 1); items.clear()) {
      all.insert(all.end(), items.front().begin(), items.front().end());
      fifo.release();
    }
    return all;
  }

  static std::vector<SentBlock> blocks_in(ByteSpan sent, std::size_t packet_bytes) {
    std::vector<SentBlock> blocks;
    for (const Bytes& frame : split_frames(sent)) {
      const FrameType type = FrameHeader::decode(frame).type;
      const ByteSpan payload = ByteSpan(frame).subspan(kFrameHeaderBytes);
      if (type == FrameType::block) {
        blocks.emplace_back().header = BlockHeader::decode(open_record(type, payload));
      } else if (type == FrameType::packet) {
        SentBlock& block = blocks.back();
        // What goes as it was read goes in one frame, and counts as the packets that it fills.
        if (block.header.codec != static_cast<std::uint8_t>(CodecId::raw)) {
          EXPECT_LE(payload.size(), packet_bytes);
        }
        EXPECT_FALSE(payload.empty());
        block.packets.emplace_back(payload.begin(), payload.end());
        block.stored_bytes += payload.size();
        block.fifo_packets += (payload.size() + packet_bytes - 1) / packet_bytes;
      } else {
        EXPECT_EQ(type, FrameType::block_end);
        EXPECT_EQ(BlockEnd::decode(open_record(type, payload)).stored_bytes,
                  blocks.back().stored_bytes);
      }
    }
    return blocks;
  }

  Rng rng_ = seeded_rng();
  Ladder ladder_ = Ladder::named("zlib");
  BufferStock stock_;
  PipelineCounters counters_;
  ReceiverBoard receiver_;
  std::atomic<std::uint64_t> features_{0};
  DecisionCounter observer_;
};

}  // namespace adoc::testkit
