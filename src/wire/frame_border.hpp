#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// Follows the bytes of one direction and knows where one frame ends and the next begins.
class FrameBorder {
 public:
  /// So many bytes come before the first frame.
  explicit FrameBorder(std::uint64_t before) noexcept : left_(before) {}

  /// Whether what has passed ends where a frame does.
  [[nodiscard]] bool is_here() const noexcept { return left_ == 0 && header_bytes_ == 0; }

  void pass(ByteSpan bytes) noexcept {
    while (!bytes.empty()) bytes = bytes.subspan(step(bytes));
  }

  /// How many of these bytes pass up to the next border behind the first of them, or all.
  [[nodiscard]] std::size_t next_in(ByteSpan bytes) const noexcept {
    FrameBorder border = *this;
    std::size_t passed = 0;
    while (passed < bytes.size()) {
      passed += border.step(bytes.subspan(passed));
      if (border.is_here()) break;
    }
    return passed;
  }

 private:
  /// Some of the bytes, none behind the next border.
  std::size_t step(ByteSpan bytes) noexcept {
    if (left_ != 0) {
      const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      left_ -= skipped;
      return skipped;
    }
    header_[header_bytes_++] = bytes.front();
    if (header_bytes_ == header_.size()) {
      for (std::size_t i = 0; i < 4; ++i)
        left_ |= std::to_integer<std::uint64_t>(header_[i + 1]) << (8 * i);
      header_bytes_ = 0;
    }
    return 1;
  }

  std::uint64_t left_;  ///< of a payload
  std::array<std::byte, kFrameHeaderBytes> header_{};
  std::size_t header_bytes_ = 0;  ///< that have passed
};

}  // namespace adoc
