#include "adoc/key.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <set>

#include "support/expect_error.hpp"
#include "support/temporary_directory.hpp"

namespace adoc {
namespace {

using testkit::expect_error;

TEST(KeyTest, TheTextIsOneWordAndIsReadBack) {
  // Goal: what is printed is what is pasted, in capitals and with white space around it, too.
  const Key key = Key::generate();
  const std::string text = key.text();
  EXPECT_EQ(text.size(), 61U);
  EXPECT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos);
  EXPECT_EQ(Key::parse(text), key);
  std::string capitals = " \t" + text + "\r\n";
  std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  EXPECT_EQ(Key::parse(capitals), key);
}

TEST(KeyTest, TheTextOfAKeyIsFixed) {
  // Goal: keys stay valid from one version to the next; 32 zero bytes and the start of their XXH3.
  const std::string text = "adoc1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaj3slr";
  const Key zero = Key::parse(text);
  for (const std::byte byte : zero.bytes()) EXPECT_EQ(byte, std::byte{0});
  EXPECT_EQ(zero.text(), text);
}

TEST(KeyTest, WhatIsDerivedIsWhatTheRfcSays) {
  // Goal: HKDF-Expand, computed by Python's hmac for a key of 32 zero bytes; each purpose its own.
  const Key zero = Key::parse("adoc1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaj3slr");
  constexpr std::array<unsigned char, 8> kStart{0xa1, 0x7d, 0x47, 0x07, 0xc5, 0x74, 0x39, 0x81};
  const Key derived = zero.derive("a purpose");
  for (std::size_t i = 0; i < kStart.size(); ++i)
    EXPECT_EQ(std::to_integer<unsigned>(derived.bytes()[i]), kStart[i]) << i;
  EXPECT_NE(zero.derive("another purpose"), derived);
  EXPECT_NE(Key::generate().derive("a purpose"), derived);
}

TEST(KeyTest, EachKeyIsAnother) {
  // Goal: they are random.
  std::set<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.insert(Key::generate().text());
  EXPECT_EQ(texts.size(), 100U);
}

TEST(KeyTest, ASlipOfTheHandIsNotAKey) {
  // Goal: each single letter that is wrong, two that changed places, too many and too few.
  const std::string text = Key::generate().text();
  const auto expect_no_key = [](std::string_view why, const std::string& wrong) {
    expect_error(ErrorKind::usage, why, [&] { static_cast<void>(Key::parse(wrong)); });
  };
  for (std::size_t i = 5; i < text.size(); ++i) {
    std::string wrong = text;
    wrong[i] = wrong[i] == 'q' ? 'r' : 'q';
    expect_no_key("a letter or digit of it is wrong", wrong);
  }
  for (std::size_t i = 5; i + 1 < text.size(); ++i) {
    std::string wrong = text;
    std::swap(wrong[i], wrong[i + 1]);
    if (wrong != text) expect_no_key("a letter or digit of it is wrong", wrong);
  }
  expect_no_key("it has 55 letters", text.substr(0, text.size() - 1));
  expect_no_key("it has 57 letters", text + "a");
  expect_no_key("it holds a sign that no key has", text.substr(0, text.size() - 1) + "1");
  expect_no_key("does not begin with adoc1", text.substr(1));
  expect_no_key("it is empty", " \n");
}

TEST(KeyTest, AMessageNeverShowsTheKey) {
  // Goal: messages go to logs.
  const std::string text = Key::generate().text();
  try {
    static_cast<void>(Key::parse(text.substr(0, text.size() - 1)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find(text.substr(5, 10)), std::string::npos);
  }
}

class KeyFileTest : public testing::Test {
 protected:
  testkit::TemporaryDirectory files_;
  std::string path_ = files_ / "config/adoc/key";

  static mode_t mode_of(const std::string& path) {
    struct stat is {};
    EXPECT_EQ(::stat(path.c_str(), &is), 0) << path;
    return is.st_mode & 07777;
  }
  static void expect_refused(std::string_view why, const std::string& path) {
    expect_error(ErrorKind::local_file, why, [&] { static_cast<void>(read_key_file(path)); });
  }
};

TEST_F(KeyFileTest, IsMadeForThisUserAloneAndReadAgain) {
  // Goal: the first use makes file and directories, later ones find them, whatever the umask.
  for (const mode_t mask : {mode_t{0}, mode_t{022}}) {
    const mode_t before = ::umask(mask);
    const std::string path = files_ / ("config" + std::to_string(mask) + "/adoc/key");
    EXPECT_EQ(read_key_file(path), std::nullopt);
    const KeptKey made = read_or_make_key_file(path);
    ::umask(before);
    EXPECT_TRUE(made.is_new);
    EXPECT_EQ(mode_of(path), 0600U);
    EXPECT_EQ(mode_of(path.substr(0, path.rfind('/'))), 0700U);
    const KeptKey again = read_or_make_key_file(path);
    EXPECT_FALSE(again.is_new);
    EXPECT_EQ(again.key, made.key);
    EXPECT_EQ(read_key_file(path), made.key);
    EXPECT_EQ(testkit::Directory(path.substr(0, path.rfind('/'))).names(),
              std::set<std::string>{"key"});
  }
}

TEST_F(KeyFileTest, ManyAtOnceEndWithOneKey) {
  // Goal: of receivers that are started together none keeps a key that the file does not have.
  for (int round = 0; round < 50; ++round) {
    const std::string path = files_ / (std::to_string(round) + "/key");
    std::vector<std::future<KeptKey>> made;
    for (int i = 0; i < 8; ++i)
      made.push_back(std::async(std::launch::async, [&] { return read_or_make_key_file(path); }));
    int new_ones = 0;
    const auto first = made.front().get();
    new_ones += first.is_new ? 1 : 0;
    for (std::size_t i = 1; i < made.size(); ++i) {
      const KeptKey other = made[i].get();
      EXPECT_EQ(other.key, first.key);
      new_ones += other.is_new ? 1 : 0;
    }
    EXPECT_EQ(new_ones, 1);
  }
}

TEST_F(KeyFileTest, ANewKeyTakesThePlaceOfTheOld) {
  // Goal: --new-key.
  const Key old = read_or_make_key_file(path_).key;
  const Key next = replace_key_file(path_);
  EXPECT_NE(next, old);
  EXPECT_EQ(read_key_file(path_), next);
  EXPECT_EQ(mode_of(path_), 0600U);
  write_key_file(path_, old);
  EXPECT_EQ(read_key_file(path_), old);
  EXPECT_EQ(mode_of(path_), 0600U);
}

TEST_F(KeyFileTest, OneThatOthersCanReadOrWriteIsRefusedWithTheRemedy) {
  // Goal: each bit of group and others counts, and the command that mends it is right.
  static_cast<void>(read_or_make_key_file(path_));
  for (const mode_t mode : {0640U, 0620U, 0610U, 0604U, 0602U, 0601U, 0666U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    expect_refused("chmod 600 " + path_, path_);
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0400), 0);
  EXPECT_NE(read_key_file(path_), std::nullopt);
}

TEST_F(KeyFileTest, OneOfAnotherUserIsRefused) {
  // Goal: that user knows the key.
  std::string path = "/etc/passwd";  // only root can give a file away; this one is root's
  if (::geteuid() == 0) {
    path = path_;
    static_cast<void>(read_or_make_key_file(path));
    ASSERT_EQ(::chown(path.c_str(), 1234, 1234), 0);
  }
  expect_refused("belongs to another user, who knows the key: chown " +
                     std::to_string(::geteuid()) + " " + path,
                 path);
}

TEST_F(KeyFileTest, WhatHoldsNoKeyIsNotReplaced) {
  // Goal: a file that is something else, or was damaged, is told and left as it is.
  for (const std::string& text : {std::string(), std::string("hello"), std::string(1'000, 'a')}) {
    const std::string path = files_.write("key", text);
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    expect_refused("cannot be used: this is not a key", path);
    expect_error(ErrorKind::local_file, "cannot be used",
                 [&] { static_cast<void>(read_or_make_key_file(path)); });
    EXPECT_EQ(testkit::contents_of(path), text);
  }
  expect_refused("is a directory", files_ / "");
}

}  // namespace
}  // namespace adoc
