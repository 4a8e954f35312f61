#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/block_source.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/scheduler.hpp"

namespace adoc {

/// The bytes of blocks whose packets still wait in the FIFO, so that they can be made anew if the
/// link turns out to be slower than was thought when they were made. The scheduler says which of
/// them. One thread at a time.
class KeptBlocks {
 public:
  struct Block {
    RawBlock block;  ///< bytes within what owns them, or else within an item of its lane
    std::shared_ptr<const Buffer> owner{};
    Fifo::Lane lane = 0;  ///< closed, and of this block alone
  };
  /// What was taken back: one run of bytes, and the lane that is open for it.
  struct Run {
    RawBlock block;  ///< bytes within the buffer
    Buffer buffer{};
    Fifo::Lane lane = 0;
    std::size_t left = 0;  ///< blocks at the beginning that are not in it, since they had left
  };

  void keep(Scheduler::Ticket ticket, Block block) { blocks_.emplace(ticket, std::move(block)); }
  void let_go(std::span<const Scheduler::Ticket> tickets);

  /// What leaves the FIFO before a block that is kept; nothing once something of it has left.
  [[nodiscard]] std::optional<std::uint64_t> bytes_ahead(const Fifo& fifo,
                                                         Scheduler::Ticket ticket) const {
    return fifo.bytes_ahead_of(blocks_.at(ticket).lane);
  }

  /// These are kept no more.
  [[nodiscard]] std::vector<Block> remove(std::span<const Scheduler::Ticket> tickets);

 private:
  std::map<Scheduler::Ticket, Block> blocks_;
};

/// Of blocks that follow each other without a gap; nothing if all have left. Any thread.
[[nodiscard]] std::optional<KeptBlocks::Run> take_back(std::span<const KeptBlocks::Block> blocks,
                                                       Fifo& fifo, BufferStock& stock);

}  // namespace adoc
