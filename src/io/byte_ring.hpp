#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "util/buffer.hpp"

namespace adoc {

/// The latest bytes of a direction, each at its place modulo the size. Takes memory for what was
/// written to.
class ByteRing {
 public:
  /// Throws std::bad_alloc.
  void make(std::size_t bytes) { memory_.resize(bytes); }
  [[nodiscard]] bool is_made() const noexcept { return !memory_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return memory_.size(); }
  /// Makes it larger. Of the bytes before `end` it has the latest, as far back as it had them.
  /// Throws std::bad_alloc; then it is as it was.
  void grow(std::size_t bytes, std::uint64_t end) {
    ByteRing larger;
    larger.make(bytes);
    std::uint64_t place = end - std::min<std::uint64_t>(end, size());
    while (place < end) {
      const auto from = at(place, end - place);
      const auto into = larger.at(place, from.size());
      std::memcpy(into.data(), from.data(), into.size());
      place += into.size();
    }
    std::swap(memory_, larger.memory_);
  }

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
