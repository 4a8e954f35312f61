#pragma once

#include <array>
#include <memory>

#include "codec/codec.hpp"
#include "pipeline/buffer_stock.hpp"
#include "pipeline/inbound.hpp"

namespace adoc {

/// Decompresses whole blocks, checks them and puts each into its place in the order of arrival. One
/// object for each of the threads; they share the queues.
class DecompressStage {
 public:
  DecompressStage(StoredQueue& stored, InboundQueue& inbound, BufferStock& stock,
                  ReceiveMeter& meter)
      : stored_(stored), inbound_(inbound), stock_(stock), meter_(meter) {}

  /// Until the queue is closed and empty. Throws Error(corrupt) for blocks that are not what they
  /// say, and what the queues were failed with.
  void run();

 private:
  [[nodiscard]] InboundItem decompress(StoredBlock& block);
  [[nodiscard]] ByteSpan prefix_of(const StoredBlock& block);
  [[nodiscard]] Decompressor& decompressor(CodecId codec);

  StoredQueue& stored_;
  InboundQueue& inbound_;
  BufferStock& stock_;
  ReceiveMeter& meter_;
  std::array<std::unique_ptr<Decompressor>, 4> decompressors_;
  Bytes joined_;  ///< a prefix that lies in several blocks
};

/// Throws Error(corrupt) unless the block is what its header says.
void expect_checksum(const BlockHeader& header, ByteSpan raw);

}  // namespace adoc
