#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace adoc {

/// What stands before the data of each record of a ChannelStream:
///
///   record  = arrived:u32 length:u16 data[length]
///   arrived = bytes of data that this side has read so far, modulo 2^32
///
/// A record without data only says what has arrived; length 0xffff, without data, ends a direction.
struct ChannelRecord {
  static constexpr std::size_t kHeaderBytes = 6;
  static constexpr std::uint16_t kEnd = 0xffff;
  static constexpr std::size_t kMaxDataBytes = 0xfffe;

  using Header = std::array<std::byte, kHeaderBytes>;

  std::uint32_t arrived = 0;
  std::uint16_t length = 0;

  [[nodiscard]] Header encode() const noexcept {
    const auto byte = [](std::uint32_t value, int index) {
      return static_cast<std::byte>(value >> (8 * index));
    };
    return {byte(arrived, 0), byte(arrived, 1), byte(arrived, 2),
            byte(arrived, 3), byte(length, 0),  byte(length, 1)};
  }
  /// Any six bytes are one.
  [[nodiscard]] static ChannelRecord decode(const Header& header) noexcept {
    const auto part = [&](std::size_t index) {
      return std::to_integer<std::uint32_t>(header[index]);
    };
    return {.arrived = part(0) | part(1) << 8 | part(2) << 16 | part(3) << 24,
            .length = static_cast<std::uint16_t>(part(4) | part(5) << 8)};
  }
  [[nodiscard]] bool is_end() const noexcept { return length == kEnd; }
};

}  // namespace adoc
