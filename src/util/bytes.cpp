#include "util/bytes.hpp"

#include "adoc/error.hpp"

namespace adoc {

void ByteWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
  u8(static_cast<std::uint8_t>(value));
}

void ByteWriter::signed_varint(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  varint((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void ByteWriter::string(std::string_view value) {
  varint(value.size());
  bytes(as_byte_span(value));
}

std::uint64_t ByteReader::little_endian(std::size_t count) {
  const ByteSpan field = bytes(count);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value |= std::to_integer<std::uint64_t>(field[i]) << (8 * i);
  return value;
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = u8();
    const std::uint64_t bits = byte & 0x7f;
    if (shift == 63 && bits > 1) break;
    value |= bits << shift;
    if ((byte & 0x80) != 0) continue;
    if (bits == 0 && shift != 0) fail("a number is not in its shortest form");
    return value;
  }
  fail("a number does not fit 64 bits");
}

std::int64_t ByteReader::signed_varint() {
  const std::uint64_t bits = varint();
  return static_cast<std::int64_t>((bits >> 1) ^ ((bits & 1) != 0 ? ~std::uint64_t{0} : 0));
}

ByteSpan ByteReader::bytes(std::size_t count) {
  if (count > rest_.size()) fail("it ends too early");
  const ByteSpan taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::string ByteReader::string(std::size_t limit) {
  const ByteSpan text = bytes(bounded(limit, "a text's length"));
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

std::uint64_t ByteReader::bounded(std::uint64_t limit, std::string_view field) {
  const std::uint64_t value = varint();
  if (value > limit)
    fail(std::string(field) + " is " + std::to_string(value) + ", the limit is " +
         std::to_string(limit));
  return value;
}

void ByteReader::expect_end() const {
  if (!rest_.empty()) fail(std::to_string(rest_.size()) + " bytes too many");
}

void ByteReader::fail(std::string_view why) const {
  throw Error(ErrorKind::corrupt,
              "the peer sent a bad " + std::string(what_) + ": " + std::string(why));
}

}  // namespace adoc
