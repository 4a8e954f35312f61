#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace papers {

/// Bits one after the other, the most significant of a value first; the last byte is filled up
/// with zeros.
class BitWriter {
 public:
  /// The `count` (0 to 64) least significant bits of `value`.
  void put(std::uint64_t value, unsigned count) {
    while (count > 0) {
      const unsigned used = static_cast<unsigned>(bits_ % 8);
      if (used == 0) bytes_.push_back(std::byte{0});
      const unsigned now = count < 8 - used ? count : 8 - used;
      const std::uint64_t piece = (value >> (count - now)) & ((1U << now) - 1);
      bytes_.back() |= static_cast<std::byte>(piece << (8 - used - now));
      bits_ += now;
      count -= now;
    }
  }

  [[nodiscard]] std::uint64_t bits() const { return bits_; }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t bits_ = 0;
};

/// Reads what a BitWriter wrote. Throws std::runtime_error where the bits end too early.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t get(unsigned count) {
    if (count > bytes_.size() * 8 - position_) throw std::runtime_error("the bits end too early");
    std::uint64_t value = 0;
    while (count > 0) {
      const unsigned used = static_cast<unsigned>(position_ % 8);
      const unsigned now = count < 8 - used ? count : 8 - used;
      const auto byte = static_cast<unsigned>(bytes_[position_ / 8]);
      value = (value << now) | ((byte >> (8 - used - now)) & ((1U << now) - 1));
      position_ += now;
      count -= now;
    }
    return value;
  }

  [[nodiscard]] std::uint64_t bits_left() const { return bytes_.size() * 8 - position_; }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t position_ = 0;
};

}  // namespace papers
