#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "control/policy.hpp"
#include "pipeline/block_source.hpp"
#include "pipeline/fifo.hpp"

namespace adoc {

/// The bytes of blocks whose packets still wait in the FIFO, so that they can be made anew if the
/// link turns out to be slower than was thought when they were made. One thread at a time.
class KeptBlocks {
 public:
  struct Block {
    RawBlock block;  ///< bytes within what owns them, or else within an item of its lane
    std::shared_ptr<const Bytes> owner{};
    Fifo::Lane lane = 0;  ///< closed, and of this block alone
    int level = 0;
    Look look{};
    std::size_t wire_bytes = 0;
  };
  /// What was taken back: one run of bytes, and the lane that is open for it.
  struct Run {
    RawBlock block;  ///< bytes within the buffer
    Bytes buffer{};
    Fifo::Lane lane = 0;
    std::vector<int> levels{};   ///< of the blocks that it was
    std::size_t wire_bytes = 0;  ///< of them all
  };

  KeptBlocks(Fifo& fifo, BufferStock& stock, std::size_t most_bytes)
      : fifo_(fifo), stock_(stock), most_bytes_(most_bytes) {}

  /// Of too many those that leave soonest are let go.
  void keep(Block block);

  [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }

  /// Those of which nothing has left, in the order in which they leave; valid until the next call.
  [[nodiscard]] std::span<const WaitingBlock> waiting();

  /// Some of those that waiting() told of last, which follow each other without a gap. Those that
  /// have left meanwhile are missing; nothing if all have.
  [[nodiscard]] std::optional<Run> take_back(std::size_t first, std::size_t count);

 private:
  [[nodiscard]] static std::size_t bytes_of(const Block& block) noexcept;
  void let_go_of_first();

  Fifo& fifo_;
  BufferStock& stock_;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::deque<Block> blocks_;
  std::vector<WaitingBlock> waiting_;
};

}  // namespace adoc
