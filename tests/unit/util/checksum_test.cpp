#include "util/checksum.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "util/errno_error.hpp"

namespace adoc {
namespace {

TEST(ChecksumTest, EmptyInputHasThePublishedValues) {
  // Goal: the variants are XXH3's, not XXH64's, with the published values of the empty input.
  EXPECT_EQ(xxh3_64({}), 0x2d06800538d394c2U);
  const ContentHash hash = xxh3_128({});
  Bytes shown(hash.begin(), hash.end());
  Bytes expected;
  for (const int byte : {0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8, 0x60, 0x01, 0xc3, 0x24,
                         0x46, 0x8d, 0x49, 0x7f})
    expected.push_back(static_cast<std::byte>(byte));
  EXPECT_EQ(shown, expected);
}

TEST(ChecksumTest, TheSeedChangesTheValue) {
  // Goal: records of different frame types cannot stand in for each other.
  const auto text = as_byte_span("hello");
  EXPECT_NE(xxh3_64(text, 1), xxh3_64(text, 2));
  EXPECT_EQ(xxh3_64(text, 0), xxh3_64(text));
}

TEST(ErrnoErrorTest, MessagesReadAsSentences) {
  // Goal: the errno's words follow in lower case, and the kind is kept.
  EXPECT_EQ(errno_text(ENOSPC), "no space left on device");
  EXPECT_EQ(errno_text(EISDIR), "is a directory");
  const Error error = errno_error(ErrorKind::local_file, "read 'a b'", EACCES);
  EXPECT_STREQ(error.what(), "cannot read 'a b': permission denied");
  EXPECT_EQ(error.kind(), ErrorKind::local_file);
}

}  // namespace
}  // namespace adoc
