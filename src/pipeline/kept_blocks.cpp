#include "pipeline/kept_blocks.hpp"

#include <utility>

namespace adoc {

void KeptBlocks::let_go(std::span<const Scheduler::Ticket> tickets) {
  for (const Scheduler::Ticket ticket : tickets) blocks_.erase(ticket);
}

std::vector<KeptBlocks::Block> KeptBlocks::remove(std::span<const Scheduler::Ticket> tickets) {
  std::vector<Block> removed;
  for (const Scheduler::Ticket ticket : tickets)
    removed.push_back(std::move(blocks_.extract(ticket).mapped()));
  return removed;
}

std::optional<KeptBlocks::Run> take_back(std::span<const KeptBlocks::Block> blocks, Fifo& fifo,
                                         BufferStock& stock) {
  std::size_t bytes = 0;
  for (const KeptBlocks::Block& block : blocks) bytes += block.block.bytes.size();
  std::optional<KeptBlocks::Run> run;
  std::size_t left = 0;
  for (const KeptBlocks::Block& block : blocks) {
    std::vector<Buffer> items;
    // Once the first of them is open, nothing behind it leaves.
    if (!fifo.take_back(block.lane, !run, items)) {
      ++left;
      continue;
    }
    if (!run) {
      run = KeptBlocks::Run{
          .block = block.block, .buffer = stock.take(bytes), .lane = block.lane, .left = left};
    }
    run->buffer.append(block.block.bytes);
    for (Buffer& item : items) stock.give_back(std::move(item));
  }
  if (run) run->block.bytes = run->buffer;
  return run;
}

}  // namespace adoc
