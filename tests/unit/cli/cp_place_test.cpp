#include "cli/cp_place.hpp"

#include <gtest/gtest.h>

#include "adoc/error.hpp"

namespace adoc::cli {
namespace {

void expect_place(const std::string& text, const Place& expected) {
  const Place place = parse_place(text);
  EXPECT_EQ(place.host, expected.host) << text;
  EXPECT_EQ(place.port, expected.port) << text;
  EXPECT_EQ(place.path, expected.path) << text;
}

TEST(CpPlaceTest, WhatHasAColonBeforeItsFirstSlashIsFar) {
  // Goal: as scp tells them apart.
  expect_place("file", {.path = "file"});
  expect_place("./a:b", {.path = "./a:b"});
  expect_place("/a:b", {.path = "/a:b"});
  expect_place(":a", {.path = ":a"});
  expect_place("host:", {.host = "host"});
  expect_place("host:a:b", {.host = "host", .path = "a:b"});
  expect_place("user@host:/x y", {.host = "user@host", .path = "/x y"});
  expect_place("[2001:db8::7]:x", {.host = "2001:db8::7", .path = "x"});
  expect_place("user@[::1]:x", {.host = "user@::1", .path = "x"});
}

TEST(CpPlaceTest, UrisMayHaveAPort) {
  // Goal: the path is relative to the home directory, absolute after a second slash, and decoded.
  expect_place("ssh://host", {.host = "host"});
  expect_place("ssh://host/x", {.host = "host", .path = "x"});
  expect_place("ssh://u@host:22//x%20y", {.host = "u@host", .port = 22, .path = "/x y"});
  expect_place("scp://[::1]:2222/x", {.host = "::1", .port = 2222, .path = "x"});
}

TEST(CpPlaceTest, NoHostBecomesAnOptionOfSsh) {
  // Goal: what somebody else may have chosen is refused before ssh sees it.
  for (const char* const text :
       {"", "-oProxyCommand=x:y", "u@-x:y", "ssh://-x/y", "a b:c", "u@:x", "@host:x",
        "ssh://host:0/x", "ssh://host:x/y", "ssh://host/%zz", "ssh:///x"})
    EXPECT_THROW(static_cast<void>(parse_place(text)), Error) << text;
}

}  // namespace
}  // namespace adoc::cli
