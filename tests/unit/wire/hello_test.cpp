#include "wire/hello.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/expect_error.hpp"

namespace adoc {
namespace {

void refuses(ByteSpan bytes, Role expected, std::string_view why) {
  testkit::expect_error(ErrorKind::connect, why,
                        [&] { static_cast<void>(Hello::decode(bytes, expected)); });
}

TEST(HelloTest, BothRolesComeBack) {
  // Goal: 24 bytes with role and features, and features that we do not know are kept.
  for (const Role role : {Role::sender, Role::receiver}) {
    const Bytes bytes = Hello{.role = role, .features = 0x8000000000000001U}.encode();
    ASSERT_EQ(bytes.size(), kHelloBytes);
    const Hello hello = Hello::decode(bytes, role);
    EXPECT_EQ(hello.role, role);
    EXPECT_EQ(hello.version, kProtocolVersion);
    EXPECT_EQ(hello.features, 0x8000000000000001U);
  }
}

TEST(HelloTest, PatienceComesBack) {
  // Goal: what a side says of its patience is what the other reads; before there was that, the
  // bytes were 0.
  for (const std::uint32_t patience : {0U, 1U, 30'000U, 0xffff'ffffU}) {
    const Bytes bytes = Hello{.role = Role::sender, .patience_ms = patience}.encode();
    EXPECT_EQ(Hello::decode(bytes, Role::sender).patience_ms, patience);
  }
}

TEST(HelloTest, ThreadsComeBack) {
  // Goal: a receiver's threads are what the sender reads; before there was that, the byte was 0.
  for (const std::uint8_t threads : {std::uint8_t{0}, std::uint8_t{7}, std::uint8_t{255}}) {
    const Bytes bytes = Hello{.role = Role::receiver, .threads = threads}.encode();
    EXPECT_EQ(Hello::decode(bytes, Role::receiver).threads, threads);
  }
}

TEST(HelloTest, AnotherVersionIsNamed) {
  // Goal: the message names both versions and what to do.
  const Bytes bytes = Hello{.role = Role::sender, .version = 7}.encode();
  refuses(bytes, Role::sender, "version 7 of the protocol, this is version 1");
  refuses(bytes, Role::sender, "install the same AdOC");
}

TEST(HelloTest, APeerThatTalksHttpIsQuoted) {
  // Goal: whoever connected something else sees what it said, with its control bytes escaped.
  refuses(as_byte_span("HTTP/1.1 400 Bad Request"), Role::receiver,
          "does not speak AdOC: it began with 'HTTP/1.1 400");
  refuses(as_byte_span("GET / HTTP/1.1\r\nHost: x\r\n"), Role::sender, "\\015\\nHost");
  refuses(as_byte_span("x"), Role::sender, "it began with x");
}

TEST(HelloTest, APeerThatClosesEarlyIsSaidSo) {
  // Goal: nothing at all and every cut hello are told apart from something else.
  refuses({}, Role::sender, "without a word");
  const Bytes bytes = Hello{.role = Role::sender}.encode();
  for (std::size_t cut = 1; cut < bytes.size(); ++cut)
    refuses(ByteSpan(bytes).first(cut), Role::sender, "in the middle of its hello");
}

TEST(HelloTest, TheWrongRoleIsNamed) {
  // Goal: two senders, two receivers and a role that does not exist are three different mistakes.
  refuses(Hello{.role = Role::sender}.encode(), Role::receiver, "the peer is a sender too");
  refuses(Hello{.role = Role::receiver}.encode(), Role::sender, "the peer is a receiver too");
  for (const int role : {0, 3, 255})
    for (const Role expected : {Role::sender, Role::receiver})
      refuses(Hello{.role = static_cast<Role>(role)}.encode(), expected,
              "role " + std::to_string(role));
}

TEST(HelloTest, EveryOtherFirstByteIsFoundOutAtOnce) {
  // Goal: a peer that talks something else is known from its first wrong byte.
  const Bytes good = Hello{}.encode();
  EXPECT_TRUE(starts_like_hello({}));
  for (std::size_t at = 0; at < kMagic.size(); ++at) {
    EXPECT_TRUE(starts_like_hello(ByteSpan(good).first(at + 1)));
    Bytes bad(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    bad[at] ^= std::byte{0x01};
    EXPECT_FALSE(starts_like_hello(bad)) << at;
  }
  EXPECT_TRUE(starts_like_hello(good));
}

TEST(HelloTest, ReservedBytesAreNotRead) {
  // Goal: a later version may use them without breaking this one.
  Bytes bytes = Hello{.role = Role::sender}.encode();
  bytes[15] = std::byte{0xff};
  EXPECT_EQ(Hello::decode(bytes, Role::sender).role, Role::sender);
}

}  // namespace
}  // namespace adoc
