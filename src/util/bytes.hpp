#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adoc {

using ByteSpan = std::span<const std::byte>;
using Bytes = std::vector<std::byte>;

[[nodiscard]] inline ByteSpan as_byte_span(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Appends to a buffer that it does not own. Fixed-width integers are little-endian; a varint is
/// LEB128: seven bits a byte, lowest first, the top bit says that more follow.
class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) noexcept : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(static_cast<std::byte>(value)); }
  void u16(std::uint16_t value) { little_endian(value, 2); }
  void u32(std::uint32_t value) { little_endian(value, 4); }
  void u64(std::uint64_t value) { little_endian(value, 8); }
  void varint(std::uint64_t value);
  /// Small magnitudes stay short whatever their sign (zigzag).
  void signed_varint(std::int64_t value);
  void bytes(ByteSpan value) { out_.insert(out_.end(), value.begin(), value.end()); }
  /// A varint length, then the bytes.
  void string(std::string_view value);

 private:
  void little_endian(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) u8(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  Bytes& out_;
};

/// Reads what ByteWriter wrote, from bytes that a peer may have made up: every getter throws
/// Error(corrupt) rather than read past the end. Views into the bytes live as long as they do.
class ByteReader {
 public:
  /// `what` names the record in messages ("offer") and outlives the reader.
  ByteReader(ByteSpan bytes, std::string_view what) noexcept : rest_(bytes), what_(what) {}

  [[nodiscard]] std::uint8_t u8() { return static_cast<std::uint8_t>(little_endian(1)); }
  [[nodiscard]] std::uint16_t u16() { return static_cast<std::uint16_t>(little_endian(2)); }
  [[nodiscard]] std::uint32_t u32() { return static_cast<std::uint32_t>(little_endian(4)); }
  [[nodiscard]] std::uint64_t u64() { return little_endian(8); }
  /// Only the shortest form of a value is accepted, so that a record has one encoding.
  [[nodiscard]] std::uint64_t varint();
  [[nodiscard]] std::int64_t signed_varint();
  [[nodiscard]] ByteSpan bytes(std::size_t count);
  /// Throws also when the length is above `limit`, before anything is copied.
  [[nodiscard]] std::string string(std::size_t limit);
  /// A varint that must not be above `limit`: the count of a list, the size of a thing to allocate.
  [[nodiscard]] std::uint64_t bounded(std::uint64_t limit, std::string_view field);

  [[nodiscard]] std::size_t remaining() const noexcept { return rest_.size(); }
  /// Throws when bytes are left over.
  void expect_end() const;
  [[noreturn]] void fail(std::string_view why) const;

 private:
  [[nodiscard]] std::uint64_t little_endian(std::size_t count);

  ByteSpan rest_;
  std::string_view what_;
};

}  // namespace adoc
