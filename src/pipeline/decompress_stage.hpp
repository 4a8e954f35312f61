#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "codec/codec.hpp"
#include "pipeline/bounded_queue.hpp"
#include "pipeline/fifo.hpp"
#include "wire/block.hpp"
#include "wire/frame.hpp"
#include "wire/outcome.hpp"

namespace adoc {

/// Where the decompress stage writes: the receiving end of batches. Called by one thread; may throw
/// Error, which ends the transfer. A failure of one entry is the sink's own affair.
class BlockSink {
 public:
  virtual ~BlockSink() = default;

  /// A whole block whose checksum is right.
  virtual void write(std::uint64_t batch, std::uint64_t offset, ByteSpan raw) = 0;
  virtual void skip(const Skip& skip) = 0;
  virtual void done(const Done& done) = 0;
};

/// A frame on its way from the reading thread to the decompress stage.
struct InboundFrame {
  FrameType type{};
  Bytes bytes;
};
using InboundQueue = BoundedQueue<InboundFrame>;

/// The weight of a frame in the inbound queue: the memory that it holds.
[[nodiscard]] inline std::size_t inbound_weight(const Bytes& bytes) noexcept {
  return bytes.capacity() + sizeof(InboundFrame) + 64;
}

/// Decompresses packets as they arrive, checks whole blocks and hands them to the sink. Used by one
/// thread.
class DecompressStage {
 public:
  DecompressStage(InboundQueue& inbound, BufferStock& stock, BlockSink& sink,
                  PipelineCounters& counters);

  /// Until the end frame. Throws Error(corrupt) for blocks that are not what they say, what the
  /// sink throws, and what the queue was failed with.
  void run();

  /// Batches that the end frame counts.
  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }
  [[nodiscard]] const std::vector<std::uint64_t>& blocks_at_level() const noexcept {
    return blocks_at_level_;
  }

 private:
  void open_block(const BlockHeader& header);
  void packet(ByteSpan stored);
  void close_block(const BlockEnd& end);
  [[nodiscard]] Decompressor& decompressor(std::uint8_t codec);

  InboundQueue& inbound_;
  BufferStock& stock_;
  BlockSink& sink_;
  PipelineCounters& counters_;
  std::array<std::unique_ptr<Decompressor>, 4> decompressors_;
  std::optional<BlockHeader> open_;
  Decompressor* codec_ = nullptr;  ///< of the open block
  std::size_t stored_bytes_ = 0;   ///< of the open block so far
  Bytes raw_;                      ///< as large as the largest block so far
  std::uint64_t batches_ = 0;
  std::vector<std::uint64_t> blocks_at_level_;
};

}  // namespace adoc
