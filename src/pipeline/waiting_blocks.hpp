#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "control/policy.hpp"

namespace adoc {

/// What is known of blocks that wait in the queue and may be made anew, in the order in which they
/// leave. Their bytes are somebody else's to keep (kept_blocks.hpp).
class WaitingBlocks {
 public:
  using Ticket = std::uint64_t;  ///< of the job that made a block
  struct Block {
    Ticket ticket = 0;
    Ticket place = 0;  ///< blocks leave in this order
    std::uint64_t batch = 0;
    std::uint64_t offset = 0;
    std::size_t raw_bytes = 0;
    Look look{};
    int level = 0;
    std::size_t wire_bytes = 0;
    std::size_t kept_bytes = 0;  ///< of memory
  };
  /// What leaves before a block; nothing once something of it has left.
  using BytesAhead = std::function<std::optional<std::uint64_t>(Ticket)>;

  explicit WaitingBlocks(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Of too many those that leave soonest are let go.
  void keep(const Block& block);
  /// Those of which nothing has left; valid until the next call.
  [[nodiscard]] std::span<const WaitingBlock> waiting(const BytesAhead& bytes_ahead);
  /// Some of those that waiting() told of last: they are kept no more.
  [[nodiscard]] std::vector<Block> take(std::size_t first, std::size_t count);
  /// Those that were let go, each once: since it was asked last.
  [[nodiscard]] std::vector<Ticket> let_go() { return std::exchange(let_go_, {}); }

 private:
  void let_go_of_first();

  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::deque<Block> blocks_;
  std::vector<WaitingBlock> waiting_;
  std::vector<Ticket> let_go_;
};

}  // namespace adoc
