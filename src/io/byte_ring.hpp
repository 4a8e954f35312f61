#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "util/buffer.hpp"

namespace adoc {

/// The latest bytes of a direction, each at its place modulo the size. Takes memory for what was
/// written to.
class ByteRing {
 public:
  /// Throws std::bad_alloc.
  void make(std::size_t bytes) { memory_.resize(bytes); }
  [[nodiscard]] bool is_made() const noexcept { return !memory_.empty(); }

  /// Memory for the bytes from `place` on: as many as are in one piece, at most `most`.
  [[nodiscard]] std::span<std::byte> at(std::uint64_t place, std::uint64_t most) noexcept {
    const auto begin = static_cast<std::size_t>(place % memory_.size());
    const std::uint64_t bytes = std::min<std::uint64_t>(most, memory_.size() - begin);
    return {memory_.data() + begin, static_cast<std::size_t>(bytes)};
  }

 private:
  Buffer memory_;
};

}  // namespace adoc
