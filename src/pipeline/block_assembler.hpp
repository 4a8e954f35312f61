#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "pipeline/buffer_stock.hpp"
#include "pipeline/frame_reader.hpp"
#include "pipeline/inbound.hpp"
#include "pipeline/match_window.hpp"

namespace adoc {

/// Puts blocks together from their frames as they arrive, and passes each on: a compressed one to
/// the threads that decompress, one that is raw and all other frames straight into the order in
/// which they came. Used by the thread that reads.
class BlockAssembler {
 public:
  struct Setup {
    FrameReader& reader;
    StoredQueue& stored;
    InboundQueue& inbound;
    BufferStock& stock;
    ReceiveMeter& meter;
    MatchWindow* window = nullptr;  ///< null: this side has not said that it takes matched blocks
    /// Called again and again while the queues are full: nobody else looks at the peer then. May
    /// throw, which ends the waiting.
    std::function<void()> held_up{};
  };

  explicit BlockAssembler(const Setup& setup) : setup_(setup) {}

  /// Takes the frame that the reader gave last, one that a sender sends. Throws Error(corrupt) for
  /// what a block cannot hold or a frame that does not belong where it is, and what the queues were
  /// failed with.
  void take(const Frame& frame);

 private:
  struct Linked {
    LinkedBytes bytes;
    std::size_t size = 0;
  };

  void open_block(const BlockHeader& header);
  void open_linked_block(const LinkedBlockHeader& header);
  void open_matched_block(MatchedBlockHeader header);
  void open_filtered_block(const FilteredBlockHeader& header);
  void open_predicted_block(PredictedBlockHeader header);
  void packet(std::size_t payload_bytes);
  void close_block(std::size_t stored_bytes);
  void close_cut(const Cut& cut);
  /// Leaves out matches behind the end of a block that was cut, and gives it its place.
  void close_matched();
  void pass_on(FrameType type, ByteSpan record);
  void pass_on_raw();
  void pass_on_stored();
  void remember(LinkedBytes bytes, std::size_t size);
  [[nodiscard]] InboundQueue::Lane open_lane();
  /// `step` tries until a time, and tells whether it succeeded.
  template <typename Step>
  void stalling(Step step);

  Setup setup_;
  std::optional<StoredBlock> block_;   ///< the open one
  bool linked_ = false;                ///< the open one
  bool matched_ = false;               ///< the open one
  std::size_t stored_bytes_ = 0;       ///< of the open one so far
  std::size_t last_stored_bytes_ = 0;  ///< of the compressed block before
  std::deque<Linked> history_;  ///< the linked blocks directly before, as far as one may refer
  std::size_t history_bytes_ = 0;
  std::uint64_t stored_blocks_ = 0;  ///< that were passed on to be decompressed
};

}  // namespace adoc
