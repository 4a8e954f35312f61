#include "wire/far_side.hpp"

#include <gtest/gtest.h>

#include "adoc/error.hpp"

namespace adoc {
namespace {

template <typename Record>
Bytes encoded(const Record& record) {
  Bytes bytes;
  ByteWriter out(bytes);
  record.encode(out);
  return bytes;
}

/// Cut anywhere, or with a byte too many, it is refused.
template <typename Record>
void expect_whole_or_nothing(const Record& record) {
  Bytes bytes = encoded(record);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THROW(static_cast<void>(Record::decode(ByteSpan(bytes).first(cut))), Error) << cut;
  bytes.push_back(std::byte{0});
  EXPECT_THROW(static_cast<void>(Record::decode(bytes)), Error);
}

const Whereabouts kWhereabouts{.port = 4711, .addresses = {"10.0.0.5", "::1"}, .peer = "10.0.0.6"};

TEST(FarSideTest, ARequestComesBack) {
  // Goal: all that the far side is told, arguments with any bytes included.
  const FarRequest request{.program = "1.2.3",
                           .role = Role::sender,
                           .key = "adoc1abc",
                           .arguments = {"-r", "--", std::string("a\0b\n", 4)}};
  const FarRequest read = FarRequest::decode(encoded(request));
  EXPECT_EQ(read.version, kProtocolVersion);
  EXPECT_EQ(read.program, "1.2.3");
  EXPECT_EQ(read.role, Role::sender);
  EXPECT_EQ(read.key, "adoc1abc");
  EXPECT_EQ(read.arguments, request.arguments);
  expect_whole_or_nothing(request);
}

TEST(FarSideTest, AnAnswerComesBack) {
  // Goal: an error is told from none.
  FarAnswer answer{.program = "1", .whereabouts = kWhereabouts, .name = "new", .sources = 3};
  FarAnswer read = FarAnswer::decode(encoded(answer));
  EXPECT_FALSE(read.failed());
  EXPECT_EQ(read.whereabouts, kWhereabouts);
  EXPECT_EQ(read.name, "new");
  EXPECT_EQ(read.sources, 3U);
  answer.error_kind = 5;
  answer.message = "why";
  read = FarAnswer::decode(encoded(answer));
  EXPECT_TRUE(read.failed());
  EXPECT_EQ(read.message, "why");
  expect_whole_or_nothing(answer);
  answer.error_kind = kMaxErrorKind + 1;
  EXPECT_THROW(static_cast<void>(FarAnswer::decode(encoded(answer))), Error);
}

TEST(FarSideTest, AGoComesBack) {
  // Goal: both flags, each by itself.
  for (const bool only : {false, true})
    for (const bool reports : {false, true}) {
      const FarGo go{
          .whereabouts = kWhereabouts, .name = "n", .only_channel = only, .reports = reports};
      const FarGo read = FarGo::decode(encoded(go));
      EXPECT_EQ(read.only_channel, only);
      EXPECT_EQ(read.reports, reports);
      EXPECT_EQ(read.name, "n");
      expect_whole_or_nothing(go);
    }
}

TEST(FarSideTest, WhatIsOutOfBoundsIsRefused) {
  // Goal: roles, flags and counts that there are not.
  Bytes request = encoded(FarRequest{});
  request[3] = std::byte{7};  // version:u16, an empty program, the role
  EXPECT_THROW(static_cast<void>(FarRequest::decode(request)), Error);
  Bytes go = encoded(FarGo{});
  go.back() = std::byte{4};
  EXPECT_THROW(static_cast<void>(FarGo::decode(go)), Error);
  Bytes many;
  ByteWriter out(many);
  out.u16(1);
  out.varint(kMaxFarAddresses + 1);
  ByteReader in(many, "whereabouts");
  EXPECT_THROW(static_cast<void>(Whereabouts::decode(in)), Error);
}

}  // namespace
}  // namespace adoc
