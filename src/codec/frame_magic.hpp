#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace adoc {

/// Compares the start of a stream that comes in packets with the magic number of its format. The
/// frame libraries take skippable frames, and zstd may take its legacy formats, for as good as the
/// real one; a block has no use for them, and each is a decoder more that the peer could reach.
class FrameMagic {
 public:
  explicit constexpr FrameMagic(std::array<std::byte, 4> magic) : magic_(magic) {}

  void restart() noexcept { seen_ = 0; }

  /// Takes the next packet; false when the stream is of another format.
  [[nodiscard]] bool accepts(std::span<const std::byte> packet) noexcept {
    const auto expected = std::span(magic_).subspan(seen_);
    const std::size_t bytes = std::min(expected.size(), packet.size());
    seen_ += bytes;
    return std::ranges::equal(expected.first(bytes), packet.first(bytes));
  }

 private:
  std::array<std::byte, 4> magic_;
  std::size_t seen_ = 0;
};

}  // namespace adoc
