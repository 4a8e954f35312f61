#pragma once

#include <vector>

#include "pipeline/buffer_stock.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/inbound.hpp"
#include "wire/outcome.hpp"

namespace adoc {

/// A whole block whose checksum is right.
struct ArrivedBlock {
  std::uint64_t batch = 0;
  std::uint64_t offset = 0;  ///< in the batch's stream
  ByteSpan raw{};
  std::uint64_t checksum = 0;  ///< XXH3-64 of them
};

/// Where the write stage writes: the receiving end of batches. Called by one thread; may throw
/// Error, which ends the transfer. A failure of one entry is the sink's own affair.
class BlockSink {
 public:
  virtual ~BlockSink() = default;

  virtual void write(const ArrivedBlock& block) = 0;
  virtual void skip(const Skip& skip) = 0;
  virtual void done(const Done& done) = 0;
};

/// Hands what has arrived to the sink, in order. Used by one thread.
class WriteStage {
 public:
  WriteStage(InboundQueue& inbound, BufferStock& stock, BlockSink& sink, PipelineCounters& counters,
             ReceiveMeter& meter)
      : inbound_(inbound), stock_(stock), sink_(sink), counters_(counters), meter_(meter) {}

  /// Until the end frame. Throws Error(corrupt) for a block whose checksum is wrong, what the sink
  /// throws, and what the queue was failed with.
  void run();

  /// Batches that the end frame counts.
  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }
  [[nodiscard]] const std::vector<std::uint64_t>& blocks_at_level() const noexcept {
    return blocks_at_level_;
  }

 private:
  void take(InboundItem& item);
  void write(InboundItem& item);

  InboundQueue& inbound_;
  BufferStock& stock_;
  BlockSink& sink_;
  PipelineCounters& counters_;
  ReceiveMeter& meter_;
  bool ended_ = false;
  std::uint64_t batches_ = 0;
  std::vector<std::uint64_t> blocks_at_level_;
};

}  // namespace adoc
