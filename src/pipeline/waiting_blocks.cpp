#include "pipeline/waiting_blocks.hpp"

#include <algorithm>

namespace adoc {

// Workers end their blocks in any order.
void WaitingBlocks::keep(const Block& block) {
  blocks_.insert(std::ranges::upper_bound(blocks_, block.place, {}, &Block::place), block);
  bytes_ += block.kept_bytes;
  while (bytes_ > most_bytes_) let_go_of_first();
}

std::span<const WaitingBlock> WaitingBlocks::waiting(const BytesAhead& bytes_ahead) {
  waiting_.clear();
  std::optional<std::uint64_t> ahead;
  while (!blocks_.empty() && !(ahead = bytes_ahead(blocks_.front().ticket))) let_go_of_first();
  const Block* before = nullptr;
  for (const Block& block : blocks_) {
    const bool follows = before != nullptr && block.batch == before->batch &&
                         block.offset == before->offset + before->raw_bytes;
    waiting_.push_back({.level = block.level,
                        .look = block.look,
                        .raw_bytes = block.raw_bytes,
                        .wire_bytes = block.wire_bytes,
                        .ahead_bytes = *ahead,
                        .follows = follows});
    *ahead += block.wire_bytes;
    before = &block;
  }
  return waiting_;
}

std::vector<WaitingBlocks::Block> WaitingBlocks::take(std::size_t first, std::size_t count) {
  const auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  std::vector<Block> taken(begin, end);
  for (const Block& block : taken) bytes_ -= block.kept_bytes;
  blocks_.erase(begin, end);
  return taken;
}

void WaitingBlocks::let_go_of_first() {
  bytes_ -= blocks_.front().kept_bytes;
  let_go_.push_back(blocks_.front().ticket);
  blocks_.pop_front();
}

}  // namespace adoc
