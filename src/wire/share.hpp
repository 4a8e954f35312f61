#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "adoc/options.hpp"
#include "wire/extents.hpp"
#include "wire/protocol.hpp"

namespace adoc {

// Which of several senders (Shard) sends what. All of them, and the receiver, find the same without
// having heard of each other:
//
//   hash(bytes)    = XXH3-64( bytes ), seeded with kShardSeed
//   what goes whole is of shard       hash( name ) mod count + 1
//   names of one file, kept as such   hash( inode:u64 ) mod count + 1
//   piece i of a file that is split   ( hash( name ) mod count + i ) mod count + 1
//
// A name is the one on the wire. A file of more than kSplitBytes is split into pieces of
// piece_bytes(), the last one shorter: of each file every shard then has as many, give or take one.

/// The number of the one of `count` shards that sends what goes whole.
[[nodiscard]] std::uint32_t shard_of_name(std::string_view name, std::uint32_t count) noexcept;
/// Of a file whose names are to be names of one file there.
[[nodiscard]] std::uint32_t shard_of_inode(std::uint64_t inode, std::uint32_t count) noexcept;

/// The least power of two of bytes, at least kMinPieceBytes, of which kMaxPieces hold the file.
[[nodiscard]] std::uint64_t piece_bytes(std::uint64_t size) noexcept;

/// The pieces of one file that one shard has.
class SharePieces {
 public:
  /// Of no file.
  SharePieces() = default;
  SharePieces(const Shard& shard, std::string_view name, std::uint64_t size) noexcept;

  /// Its first piece with this index or a higher one; none at the end.
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t index) const noexcept;
  /// Any piece of the file, which need not be one of the shard's.
  [[nodiscard]] Extent extent(std::uint64_t index) const noexcept;
  [[nodiscard]] std::uint64_t piece_of(std::uint64_t offset) const noexcept {
    return offset / piece_bytes_;
  }
  /// Takes from the front of a run what is of other shards, and then gives and takes what is in
  /// one piece of this one; none when nothing is left.
  [[nodiscard]] std::optional<Extent> next_part(Extent& run) const noexcept;
  /// Of the file.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Of the shard's, holes included.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  std::uint64_t size_ = 0;
  std::uint64_t piece_bytes_ = kMinPieceBytes;
  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;  ///< the shard's first index, and
  std::uint64_t step_ = 1;   ///< from each to the next
};

}  // namespace adoc
