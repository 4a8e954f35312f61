#pragma once

#include <array>
#include <memory>
#include <utility>

#include "codec/codec.hpp"
#include "pipeline/buffer_stock.hpp"
#include "pipeline/inbound.hpp"
#include "pipeline/match_window.hpp"
#include "pipeline/memory_shares.hpp"

namespace adoc {

/// Decompresses whole blocks, checks them and puts each into its place in the order of arrival. One
/// object for each of the threads; they share the queues.
class DecompressStage {
 public:
  struct Setup {
    StoredQueue& stored;
    InboundQueue& inbound;
    BufferStock& stock;
    ReceiveMeter& meter;
    SharesInOrder& memory;  ///< of kThreadReceiveBytes each, until the queues fail
    MatchWindow& window;    ///< that matched blocks copy from
  };

  explicit DecompressStage(Setup setup) : setup_(std::move(setup)) {}

  /// Until the queue is closed and empty. Throws Error(corrupt) for blocks that are not what they
  /// say, and what the queues were failed with.
  void run();

 private:
  [[nodiscard]] InboundItem make(StoredBlock& block, ByteSpan prefix,
                                 const MemoryShares::Share& share);
  void decompress(const StoredBlock& block, std::span<std::byte> into, ByteSpan prefix,
                  const MemoryShares::Share& share);
  /// The literals of a matched block, together with what it copies, are its raw bytes. Tells how
  /// many nanoseconds it waited for others.
  std::int64_t decompress_matched(const StoredBlock& block, std::span<std::byte> raw,
                                  const MemoryShares::Share& share);
  void decompress_filtered(const StoredBlock& block, std::span<std::byte> raw,
                           const MemoryShares::Share& share);
  void decompress_predicted(const StoredBlock& block, std::span<std::byte> raw,
                            const MemoryShares::Share& share);
  [[nodiscard]] ByteSpan prefix_of(const StoredBlock& block);
  [[nodiscard]] Decompressor& decompressor(CodecId codec);

  Setup setup_;
  std::array<std::unique_ptr<Decompressor>, kCodecs> decompressors_;
  Buffer joined_;  ///< a prefix that lies in several blocks
};

/// Throws Error(corrupt) unless the block is what its header says.
void expect_checksum(const BlockHeader& header, ByteSpan raw);

}  // namespace adoc
