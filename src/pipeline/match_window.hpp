#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <vector>

#include "util/buffer.hpp"
#include "util/guarded.hpp"
#include "wire/block.hpp"

namespace adoc {

/// What the matches of a block copy from: the raw bytes of the matched blocks before it, the last
/// kMatchWindowBytes of them. Blocks are made by several threads, in any order; each waits until
/// what it copies from is there.
class MatchWindow {
 public:
  /// What it takes of memory, as it is used.
  static constexpr std::size_t kMemoryBytes = kMatchWindowBytes + kMaxMatchedBlockBytes;

  /// The next block is of so many raw bytes. Tells where it begins in all of them.
  [[nodiscard]] std::uint64_t place(std::size_t raw_bytes);

  /// Waits until all that the matches of the block refer to is there, of which place() has given
  /// all, and nobody needs what its bytes will take the place of. Throws what fail() was given.
  void wait_for(std::uint64_t begin, std::size_t raw_bytes, const std::vector<Match>& matches);

  /// After that: fills `raw`, the bytes of the block, from its literals and from what its matches
  /// refer to, and keeps them for others.
  void fill(std::uint64_t begin, std::span<std::byte> raw, const std::vector<Match>& matches,
            ByteSpan literals);

  /// For those that wait: what they wait for will not come.
  void fail(const std::exception_ptr& failure) noexcept;

 private:
  struct Placed {
    std::uint64_t begin = 0;
    bool kept = false;
  };
  struct Blocks {
    std::deque<Placed> open{};  ///< all before them is kept
    std::uint64_t end = 0;
    std::exception_ptr failure{};

    [[nodiscard]] std::uint64_t kept_end() const noexcept {
      return open.empty() ? end : open.front().begin;
    }
  };

  void copy(std::uint64_t from, std::span<std::byte> to) const;
  void keep(std::uint64_t begin, ByteSpan raw);

  Buffer ring_;  ///< the byte of a position is at its remainder by the size
  Guarded<Blocks> blocks_;
};

}  // namespace adoc
