#include "cli/operands.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/temporary_directory.hpp"

namespace adoc::cli {
namespace {

SendOptions take(std::vector<std::string> words) {
  SendOptions send;
  take_operands(send, std::move(words));
  return send;
}

void expect_refused(std::vector<std::string> words, std::string_view fragment) {
  testkit::expect_error(ErrorKind::usage, fragment, [&] { take(std::move(words)); });
}

const std::string kKey = Key::generate().text();

TEST(OperandsTest, ThereAreNoUsersAndNoPathsBehindTheHost) {
  // Goal: whoever has scp in their fingers is told what is the case here, and what to write.
  expect_refused({"file", "me@host"}, "'me@host': there are no users here");
  expect_refused({"file", "me@host"}, "write host");
  expect_refused({"file", "me@host:dir"}, "there are no users here");
  expect_refused({"file", "me@host:dir"}, "no path follows the host");
  for (const char* const path : {"host:dir", "host:", "host:/srv/dir", "host:4400/dir", "host:~/x",
                                 "[::1]:dir", "host:44:dir"})
    expect_refused({"file", path}, "no path follows the host");
  expect_refused({"file", "host:dir"}, "adoc-recv --out DIR");
  expect_refused({"file", "dir/"}, "'dir/' is not a host");
  expect_refused({"file", "../dir"}, "is not a host");
  expect_refused({"file", "5000"}, "'5000' is a port without a host");
  expect_refused({"file", "adoc://host/dir"}, "is a URL");
  expect_refused({"file", ""}, "HOST is empty");
  expect_refused({"file", "host:99999"}, "from 0 to 65535");
  expect_refused({"file", "::1"}, "brackets");
}

TEST(OperandsTest, WhatIsAHostIsTaken) {
  // Goal: none of the above is held against anybody who means a host.
  EXPECT_EQ(take({"a@b:c", "host"}).peer, (Endpoint{"host", 4400}));
  EXPECT_EQ(take({"file", "host:5000"}).peer, (Endpoint{"host", 5000}));
  EXPECT_EQ(take({"file", "[fe80::1%eth0]:5000"}).peer, (Endpoint{"fe80::1%eth0", 5000}));
  EXPECT_EQ(take({"file", "10.0.0.1"}).peer, (Endpoint{"10.0.0.1", 4400}));
}

TEST(OperandsTest, WhatIsMissingIsAskedForWithAnExample) {
  // Goal: a word that is a file asks for a host, any other for a path.
  const testkit::TemporaryDirectory dir;
  const std::string file = dir.write("file", "");
  expect_refused(
      {}, "usage: adoc-send [options] PATH... HOST[:PORT], as in: adoc-send report.tar host");
  expect_refused({file}, "HOST is missing");
  expect_refused({file}, "adoc-send " + file + " host");
  expect_refused({"host:5000"}, "PATH is missing");
  expect_refused({"-"}, "HOST is missing");
}

TEST(OperandsTest, TheHostComesLastAndIsOne) {
  // Goal: the wrong order, and two hosts, are told from files that are not there.
  const testkit::TemporaryDirectory dir;
  const std::string file = dir.write("file", "");
  expect_refused({"host:5000", file}, "HOST comes last, as in: adoc-send " + file + " host:5000");
  expect_refused({file, "first:1", "second:2"}, "'first:1' is not there to be sent");
  EXPECT_EQ(take({"missing", "host"}).paths, std::vector<std::string>{"missing"});
}

TEST(OperandsTest, AKeyIsNoArgumentAndIsNotShown) {
  // Goal: it is refused wherever it stands, and not written to a log.
  for (const std::string& word : {kKey, "ADOC_KEY=" + kKey, std::string("ADOC_KEY=x")}) {
    expect_refused({word, "file", "host"}, "a key is not given as an argument");
    try {
      refuse_key(word);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find(word), std::string::npos);
    }
  }
}

TEST(OperandsTest, AReceiverIsToldWhereItsDirectoryGoes) {
  // Goal: `adoc-recv out` is the first thing that anybody types.
  EXPECT_NE(stray_word_message("out", false).find("adoc-recv --out out"), std::string::npos);
  EXPECT_NE(stray_word_message("x", true).find("'x' is one word too many"), std::string::npos);
}

TEST(OperandsTest, ANumberAloneIsAPortToListenOn) {
  // Goal: --listen 5000 is what it looks like.
  EXPECT_EQ(parse_listen("5000", "*"), (Endpoint{"*", 5000}));
  EXPECT_EQ(parse_listen("0", "127.0.0.1"), (Endpoint{"127.0.0.1", 0}));
  EXPECT_EQ(parse_listen("10.0.0.1", "*"), (Endpoint{"10.0.0.1", 4400}));
  testkit::expect_error(ErrorKind::usage, "from 0 to 65535",
                        [] { static_cast<void>(parse_listen("99999", "*")); });
}

}  // namespace
}  // namespace adoc::cli
