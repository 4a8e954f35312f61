#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <vector>

#include "util/buffer.hpp"
#include "util/guarded.hpp"
#include "wire/block.hpp"

namespace adoc {

/// Finds in a block what came up to kMatchWindowBytes before it, in other blocks: long-distance
/// matching, as `zstd --long` does it for one stream. A hash of the last 64 bytes rolls over the
/// block (gear hash: W. Xia and others, "FastCDC", USENIX ATC 2016); where its upper bits are zero,
/// once in 128 bytes of most data, the place is noted and compared with the one noted before.
///
/// Blocks come from several threads: each takes its place in the order in which blocks leave, and
/// is searched after that by its own thread, beside others.
class MatchFinder {
 public:
  struct Place {
    std::uint64_t begin = 0;  ///< in all bytes that were given places
    std::size_t bytes = 0;
  };

  /// What it takes of memory, as it is used.
  static constexpr std::size_t kMemoryBytes = kMatchWindowBytes + kMaxMatchedBlockBytes + (4 << 20);

  /// Throws std::bad_alloc.
  MatchFinder();

  /// The next place, of at most kMaxMatchedBlockBytes. search() of it has to follow.
  [[nodiscard]] Place place(std::size_t bytes);

  /// The matches in the first bytes of the block that has the place, in ascending order, at most
  /// kMaxMatches. Waits for the search of blocks before it if that is far behind; throws what
  /// fail() was given.
  [[nodiscard]] std::vector<Match> search(const Place& place, ByteSpan raw, std::size_t first);

  /// For those that wait.
  void fail(const std::exception_ptr& failure) noexcept;

 private:
  enum class Step { placed, stored, searched };
  struct Searched {
    Place place{};
    Step step = Step::placed;
  };
  /// The blocks whose places were given, but for the oldest that have been searched.
  struct Blocks {
    std::deque<Searched> open{};
    std::uint64_t end = 0;
    std::exception_ptr failure{};
  };

  /// Tells how far all bytes are stored, at most to the block's begin.
  [[nodiscard]] std::uint64_t store(const Place& place, ByteSpan raw);
  void step(const Place& place, Step step) noexcept;
  [[nodiscard]] std::vector<Match> find(const Place& place, ByteSpan raw, std::uint64_t stored_end);
  /// Notes the place, and gives the one that was noted for the same hash; 0: none.
  [[nodiscard]] std::uint64_t note(std::uint64_t hash, std::uint64_t position) noexcept;
  /// The bytes that are equal behind or, counted backwards, before two places.
  [[nodiscard]] std::size_t equal_after(std::uint64_t position, ByteSpan bytes) const noexcept;
  [[nodiscard]] std::size_t equal_before(std::uint64_t position, ByteSpan bytes) const noexcept;

  Buffer ring_;  ///< the byte of a position is at its remainder by the size
  std::vector<std::atomic<std::uint64_t>> noted_;
  Guarded<Blocks> blocks_;
};

/// The bytes of the block that no match copies, appended to `to`.
void append_literals(Buffer& to, ByteSpan raw, const std::vector<Match>& matches);

/// Of a block with these matches, the raw bytes up to so many of its literals.
[[nodiscard]] std::size_t raw_bytes_of(std::size_t literals,
                                       const std::vector<Match>& matches) noexcept;

/// Of its first raw bytes, those that matches copy.
[[nodiscard]] std::size_t matched_bytes_of(std::size_t raw,
                                           const std::vector<Match>& matches) noexcept;

}  // namespace adoc
