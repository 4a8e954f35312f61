#include "wire/share.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "util/bytes.hpp"
#include "util/checksum.hpp"

namespace adoc {

namespace {

std::uint64_t hash_of(std::string_view name) noexcept {
  return xxh3_64(as_byte_span(name), kShardSeed);
}

}  // namespace

std::uint32_t shard_of_name(std::string_view name, std::uint32_t count) noexcept {
  return static_cast<std::uint32_t>(hash_of(name) % count) + 1;
}

std::uint32_t shard_of_inode(std::uint64_t inode, std::uint32_t count) noexcept {
  std::array<std::byte, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(inode >> 8 * i);
  return static_cast<std::uint32_t>(xxh3_64(bytes, kShardSeed) % count) + 1;
}

std::uint64_t piece_bytes(std::uint64_t size) noexcept {
  return std::max(kMinPieceBytes, std::bit_ceil(size / kMaxPieces + (size % kMaxPieces != 0)));
}

SharePieces::SharePieces(const Shard& shard, std::string_view name, std::uint64_t size) noexcept
    : size_(size),
      piece_bytes_(adoc::piece_bytes(size)),
      count_(size / piece_bytes_ + (size % piece_bytes_ != 0)),
      first_((shard.number - 1 + shard.count - hash_of(name) % shard.count) % shard.count),
      step_(shard.count) {}

std::optional<std::uint64_t> SharePieces::next(std::uint64_t index) const noexcept {
  const std::uint64_t behind = index > first_ ? index - first_ : 0;
  const std::uint64_t found = first_ + (behind + step_ - 1) / step_ * step_;
  if (found >= count_) return std::nullopt;
  return found;
}

Extent SharePieces::extent(std::uint64_t index) const noexcept {
  const std::uint64_t begin = index * piece_bytes_;
  return {begin, std::min(piece_bytes_, size_ - begin)};
}

std::optional<Extent> SharePieces::next_part(Extent& run) const noexcept {
  const std::uint64_t end = run.offset + run.length;
  const auto index = run.length == 0 ? std::nullopt : next(piece_of(run.offset));
  if (!index || *index * piece_bytes_ >= end) {
    run = {end, 0};
    return std::nullopt;
  }
  const Extent piece = extent(*index);
  const std::uint64_t begin = std::max(run.offset, piece.offset);
  const std::uint64_t stop = std::min(end, piece.offset + piece.length);
  run = {stop, end - stop};
  return Extent{begin, stop - begin};
}

std::uint64_t SharePieces::bytes() const noexcept {
  if (first_ >= count_) return 0;
  const std::uint64_t pieces = (count_ - 1 - first_) / step_ + 1;
  const std::uint64_t last = first_ + (pieces - 1) * step_;
  return (pieces - 1) * piece_bytes_ + extent(last).length;
}

}  // namespace adoc
