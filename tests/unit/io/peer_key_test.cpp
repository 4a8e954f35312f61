#include "adoc/peer_key.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "io/host_name.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

using namespace std::string_literals;
using testkit::expect_error;

TEST(PeerNameTest, SpellingsOfOneHostAreOneName) {
  // Goal: what was saved is found however the host is typed the next time.
  const auto same = [](const std::string& name, std::initializer_list<const char*> spellings) {
    for (const char* const spelling : spellings)
      EXPECT_EQ(to_string(parse_peer(spelling)), name) << spelling;
  };
  same("host.example", {"host.example", "HOST.Example", "host.example."});
  same("host_1:5000", {"host_1:5000", "Host_1.:5000", "host_1:05000"});
  same("10.0.0.5", {"10.0.0.5", "10.5", "0x0a.0.0.5", "::ffff:10.0.0.5", "[::ffff:a00:5]"});
  same("[::1]", {"::1", "[::1]", "0:0:0:0:0:0:0:1", "[0::0001]"});
  same("[fd00::abcd]:4400", {"[fd00::abcd]:4400", "[FD00:0::ABCD]:4400"});
  same("[fe80::1%lo]", {"fe80::1%lo", "[fe80::1%lo]", "[FE80:0::1%1]"});
}

TEST(PeerNameTest, WhatIsNoHostIsRefused) {
  // Goal: no text leads out of the directory with the keys, hides in it, or is cut by the system.
  const auto refuses = [](const std::string& text) {
    expect_error(ErrorKind::usage, "", [&] { static_cast<void>(parse_peer(text)); });
  };
  for (const char* const text : {"",
                                 ".",
                                 "..",
                                 "...",
                                 "../key",
                                 "/etc/passwd",
                                 "a/b",
                                 "a\\b",
                                 ".hidden",
                                 ".new-1",
                                 "-x",
                                 "a b",
                                 "a\n",
                                 "a\tb",
                                 "a\x1b[2J",
                                 "a*",
                                 "$(id)",
                                 "a;b",
                                 "a'b",
                                 "a\"b",
                                 "b\xc3\xbc"
                                 "cher",
                                 "\xff",
                                 "a%lo",
                                 "a@b",
                                 "[host]",
                                 "[10.0.0.1]",
                                 "[]",
                                 "[",
                                 "]",
                                 "[::1",
                                 "::1]",
                                 "[::1]x",
                                 "[::1]:x",
                                 "[::1]:",
                                 ":",
                                 ":1",
                                 "a:",
                                 "a:b",
                                 "a:0",
                                 "a:65536",
                                 "a:-1",
                                 "a:1:2",
                                 "1:2:3",
                                 "[::1%]",
                                 "fe80::1%",
                                 "fe80::1%../x",
                                 "fe80::1%a/b",
                                 "fe80::1%a b",
                                 "fe80::1%an-interface-with-a-long-name",
                                 "[::1]%lo",
                                 "::g"})
    refuses(text);
  refuses("a\0b"s);
  refuses("a/..\0"s);
  refuses(std::string(250, 'a'));
  EXPECT_EQ(parse_peer(std::string(249, 'a')).host.size(), 249U);
}

TEST(PeerNameTest, ThisMachineIsKnownWithoutTheNetwork) {
  // Goal: loopback in all forms and this machine's own name; nobody else.
  for (const char* const text :
       {"localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.1", "127.255.3.4", "::1",
        "[::1]", "0.0.0.0", "::", "0", "::ffff:127.0.0.1", "ip6-localhost"})
    EXPECT_TRUE(is_this_machine(parse_peer(text))) << text;
  std::array<char, 256> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  EXPECT_TRUE(is_this_machine(parse_peer(name.data()))) << name.data();
  for (const char* const text : {"192.0.2.1", "2001:db8::1", "host.example", "localhost.example",
                                 "128.0.0.1", "notlocalhost", "::2", "1.0.0.127", "fe80::1%lo"})
    EXPECT_FALSE(is_this_machine(parse_peer(text))) << text;
}

class PeerKeyTest : public testing::Test {
 protected:
  PeerKeyTest() { ::setenv("XDG_CONFIG_HOME", (files_ / "config").c_str(), 1); }

  static Key save(const std::string& peer) {
    const Key key = Key::generate();
    write_key_file(peer_key_file(parse_peer(peer)), key);
    return key;
  }
  static void expect_found(const Endpoint& peer, const Key& key) {
    const auto found = find_peer_key(peer);
    ASSERT_TRUE(found) << to_string(peer);
    EXPECT_EQ(found->key, key) << to_string(peer);
  }

  testkit::TemporaryDirectory files_;
};

TEST_F(PeerKeyTest, ThePortsKeyComesBeforeTheHosts) {
  // Goal: the more specific one counts, others are not touched.
  const Key of_host = save("host.example");
  const Key of_port = save("host.example:5000");
  expect_found({"HOST.example", 4400}, of_host);
  expect_found({"host.example.", 5000}, of_port);
  EXPECT_FALSE(find_peer_key({"host.example.org", 4400}));
  const Key v6 = save("fd00::1");
  expect_found({"fd00:0::1", 4400}, v6);
}

TEST_F(PeerKeyTest, TheOwnKeyIsForThisMachineAlone) {
  // Goal: nobody can steer what is meant for another machine to this one's receiver.
  const Key own = read_or_make_key_file(default_key_file()).key;
  for (const char* const host : {"localhost", "127.0.0.1", "::1"}) {
    expect_found({host, 4400}, own);
    EXPECT_TRUE(find_peer_key({host, 4400})->is_own);
  }
  EXPECT_FALSE(find_peer_key({"192.0.2.1", 4400}));
  const Key tunnel = save("localhost:5000");
  expect_found({"localhost", 5000}, tunnel);
  expect_found({"localhost", 4400}, own);
  save("192.0.2.1");
  EXPECT_FALSE(find_peer_key({"192.0.2.1", 4400})->is_shared);
  write_key_file(peer_key_file(parse_peer("192.0.2.1")), own);
  EXPECT_TRUE(find_peer_key({"192.0.2.1", 4400})->is_shared);
}

TEST_F(PeerKeyTest, TheFilesAreForThisUserAlone) {
  // Goal: made so, and refused otherwise.
  save("host");
  const std::string path = peer_key_file(parse_peer("host"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  ASSERT_EQ(::stat(path.substr(0, path.rfind('/')).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  expect_error(ErrorKind::local_file, "chmod 600", [&] {
    static_cast<void>(find_peer_key({"host", 4400}));
  });
}

}  // namespace
}  // namespace adoc
