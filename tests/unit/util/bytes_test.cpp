#include "util/bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "support/expect_error.hpp"
#include "support/seed.hpp"

namespace adoc {
namespace {

using testkit::any_size;
using testkit::expect_corrupt;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

Bytes varint_bytes(std::uint64_t value) {
  Bytes bytes;
  ByteWriter(bytes).varint(value);
  return bytes;
}

TEST(BytesTest, FixedWidthIntegersAreLittleEndian) {
  // Goal: the byte order is that of the specification, whatever the machine's.
  Bytes bytes;
  ByteWriter out(bytes);
  out.u8(0x01);
  out.u16(0x0302);
  out.u32(0x07060504);
  out.u64(0x0f0e0d0c0b0a0908);
  ASSERT_EQ(bytes.size(), 15U);
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], std::byte(i + 1));

  ByteReader in(bytes, "test");
  EXPECT_EQ(in.u8(), 0x01U);
  EXPECT_EQ(in.u16(), 0x0302U);
  EXPECT_EQ(in.u32(), 0x07060504U);
  EXPECT_EQ(in.u64(), 0x0f0e0d0c0b0a0908U);
  in.expect_end();
}

TEST(BytesTest, VarintsHaveTheBytesOfTheSpecification) {
  // Goal: LEB128, lowest seven bits first, at every border of its length.
  EXPECT_EQ(varint_bytes(0), bytes_of({0x00}));
  EXPECT_EQ(varint_bytes(127), bytes_of({0x7f}));
  EXPECT_EQ(varint_bytes(128), bytes_of({0x80, 0x01}));
  EXPECT_EQ(varint_bytes(300), bytes_of({0xac, 0x02}));
  EXPECT_EQ(varint_bytes(16'383), bytes_of({0xff, 0x7f}));
  EXPECT_EQ(varint_bytes(std::numeric_limits<std::uint64_t>::max()),
            bytes_of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
}

TEST(BytesTest, NumbersOfEverySizeComeBack) {
  // Goal: a varint and a signed varint survive the way there and back.
  auto rng = testkit::seeded_rng();
  for (int round = 0; round < 5'000; ++round) {
    const std::uint64_t value = any_size(rng, std::numeric_limits<std::uint64_t>::max());
    Bytes bytes;
    ByteWriter out(bytes);
    out.varint(value);
    out.signed_varint(static_cast<std::int64_t>(value));
    ByteReader in(bytes, "test");
    ASSERT_EQ(in.varint(), value);
    ASSERT_EQ(in.signed_varint(), static_cast<std::int64_t>(value));
    in.expect_end();
  }
}

TEST(BytesTest, SignedVarintsZigZag) {
  // Goal: 0, -1, 1, -2 become 0, 1, 2, 3, and the two extremes fit.
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const std::array<std::pair<std::int64_t, std::uint64_t>, 6> pairs{
      {{0, 0}, {-1, 1}, {1, 2}, {-2, 3}, {kMax, ~std::uint64_t{1}}, {kMin, ~std::uint64_t{0}}}};
  for (const auto& [value, zigzag] : pairs) {
    Bytes bytes;
    ByteWriter(bytes).signed_varint(value);
    EXPECT_EQ(bytes, varint_bytes(zigzag)) << value;
    EXPECT_EQ(ByteReader(bytes, "test").signed_varint(), value);
  }
}

TEST(BytesTest, LongerFormsOfANumberAreErrors) {
  // Goal: a value has one encoding only.
  for (const Bytes& bytes :
       {bytes_of({0x80, 0x00}), bytes_of({0xff, 0x80, 0x00}),
        bytes_of({0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00})})
    expect_corrupt("shortest form", [&] { static_cast<void>(ByteReader(bytes, "test").varint()); });
}

TEST(BytesTest, NumbersAboveSixtyFourBitsAreErrors) {
  // Goal: neither a tenth byte above 1 nor an eleventh byte is taken.
  for (const int tenth : {0x02, 0x7f, 0x80, 0x81, 0xff}) {
    Bytes bytes(9, std::byte{0xff});
    bytes.push_back(static_cast<std::byte>(tenth));
    bytes.push_back(std::byte{0x01});
    expect_corrupt("64 bits", [&] { static_cast<void>(ByteReader(bytes, "test").varint()); });
  }
}

TEST(BytesTest, ReadingPastTheEndIsAnError) {
  // Goal: every getter checks, and the message names the record.
  const Bytes three = bytes_of({0xff, 0xff, 0xff});
  const auto reads = [&](auto get) {
    expect_corrupt("the peer sent a bad test: it ends too early", [&] {
      ByteReader in(three, "test");
      static_cast<void>(get(in));
    });
  };
  reads([](ByteReader& in) { return in.u32(); });
  reads([](ByteReader& in) { return in.u64(); });
  reads([](ByteReader& in) { return in.varint(); });
  reads([](ByteReader& in) { return in.signed_varint(); });
  reads([](ByteReader& in) { return in.bytes(4); });
  reads([](ByteReader& in) { return in.bytes(std::numeric_limits<std::size_t>::max()); });
  reads([](ByteReader& in) { return static_cast<void>(in.bytes(3)), in.u8(); });
  reads([](ByteReader& in) { return static_cast<void>(in.bytes(2)), in.u16(); });
}

TEST(BytesTest, StringsAreCheckedAgainstLimitAndEnd) {
  // Goal: a length of 2^63 is refused before anything is allocated, a cut text too.
  Bytes bytes;
  ByteWriter(bytes).string("abc");
  EXPECT_EQ(ByteReader(bytes, "test").string(3), "abc");
  expect_corrupt("is 3, the limit is 2",
                 [&] { static_cast<void>(ByteReader(bytes, "test").string(2)); });
  bytes.pop_back();
  expect_corrupt("too early", [&] { static_cast<void>(ByteReader(bytes, "test").string(3)); });

  const Bytes huge = varint_bytes(std::uint64_t{1} << 63);
  expect_corrupt("9223372036854775808",
                 [&] { static_cast<void>(ByteReader(huge, "test").string(100)); });
  expect_corrupt("too early", [&] {
    static_cast<void>(ByteReader(huge, "test").string(std::numeric_limits<std::size_t>::max()));
  });
}

TEST(BytesTest, LeftOverBytesAreAnError) {
  // Goal: a record that is longer than its fields is refused.
  const Bytes two = bytes_of({1, 2});
  ByteReader in(two, "test");
  expect_corrupt("2 bytes too many", [&] { in.expect_end(); });
  EXPECT_EQ(in.u16(), 0x0201U);
  EXPECT_EQ(in.remaining(), 0U);
  in.expect_end();
}

}  // namespace
}  // namespace adoc
