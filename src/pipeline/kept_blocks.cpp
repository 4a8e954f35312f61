#include "pipeline/kept_blocks.hpp"

#include <algorithm>
#include <utility>

namespace adoc {

namespace {

bool follows(const RawBlock& block, const RawBlock& before) noexcept {
  return block.batch == before.batch && block.offset == before.offset + before.bytes.size();
}

}  // namespace

// Threads end their blocks in any order.
void KeptBlocks::keep(Block block) {
  bytes_ += bytes_of(block);
  const auto behind = std::ranges::upper_bound(blocks_, block.lane, {}, &Block::lane);
  blocks_.insert(behind, std::move(block));
  while (bytes_ > most_bytes_) let_go_of_first();
}

std::span<const WaitingBlock> KeptBlocks::waiting() {
  waiting_.clear();
  std::optional<std::size_t> ahead;
  while (!blocks_.empty() && !(ahead = fifo_.bytes_ahead_of(blocks_.front().lane)))
    let_go_of_first();
  const Block* before = nullptr;
  for (const Block& block : blocks_) {
    waiting_.push_back({.level = block.level,
                        .look = block.look,
                        .raw_bytes = block.block.bytes.size(),
                        .wire_bytes = block.wire_bytes,
                        .ahead_bytes = *ahead,
                        .follows = before != nullptr && follows(block.block, before->block)});
    *ahead += block.wire_bytes;
    before = &block;
  }
  return waiting_;
}

std::optional<KeptBlocks::Run> KeptBlocks::take_back(std::size_t first, std::size_t count) {
  const auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  std::size_t bytes = 0;
  for (auto block = begin; block != end; ++block) bytes += block->block.bytes.size();
  std::optional<Run> run;
  for (auto block = begin; block != end; ++block) {
    std::vector<Bytes> items;
    // Once the first of them is open, nothing behind it leaves.
    if (!fifo_.take_back(block->lane, !run, items)) continue;
    if (!run) {
      run = Run{.block = block->block, .buffer = stock_.take(bytes), .lane = block->lane};
      run->buffer.clear();
    }
    const ByteSpan raw = block->block.bytes;
    run->buffer.insert(run->buffer.end(), raw.begin(), raw.end());
    run->levels.push_back(block->level);
    run->wire_bytes += block->wire_bytes;
    for (Bytes& item : items) stock_.give_back(std::move(item));
  }
  for (auto block = begin; block != end; ++block) bytes_ -= bytes_of(*block);
  blocks_.erase(begin, end);
  if (run) run->block.bytes = run->buffer;
  return run;
}

std::size_t KeptBlocks::bytes_of(const Block& block) noexcept {
  return block.owner ? block.owner->capacity() : block.block.bytes.size();
}

void KeptBlocks::let_go_of_first() {
  bytes_ -= bytes_of(blocks_.front());
  blocks_.pop_front();
}

}  // namespace adoc
