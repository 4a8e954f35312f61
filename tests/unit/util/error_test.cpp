#include "adoc/error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace adoc {
namespace {

TEST(ErrorTest, AMemberIsNamedForTheLibrarysUserAndCanBeNamedOtherwise) {
  const Error error(ErrorKind::usage, "", Hint::fifo_packets, " 0: it goes from 1 to 8");
  EXPECT_STREQ(error.what(), "fifo_packets 0: it goes from 1 to 8");
  EXPECT_EQ(error.hint(), Hint::fifo_packets);
  EXPECT_EQ(error.with("--fifo-packets"), "--fifo-packets 0: it goes from 1 to 8");
}

TEST(ErrorTest, WhatHelpsIsNotInTheTextAndHasItsPlaceThere) {
  const Error error(ErrorKind::connect, "silent for 2 s", Hint::look_at_timeout, ": it is gone");
  EXPECT_STREQ(error.what(), "silent for 2 s: it is gone");
  EXPECT_EQ(error.with(" (--timeout)"), "silent for 2 s (--timeout): it is gone");
}

TEST(ErrorTest, WhatComesBehindLeavesTheHintWhereItWas) {
  const Error error(ErrorKind::connect, "cannot reach it: ", Hint::timeout, " is over");
  const Error longer = error.followed_by("; gave up");
  EXPECT_EQ(longer.kind(), ErrorKind::connect);
  EXPECT_EQ(longer.hint(), Hint::timeout);
  EXPECT_EQ(longer.with("--timeout"), "cannot reach it: --timeout is over; gave up");
  EXPECT_STREQ(Error(ErrorKind::corrupt, "a").followed_by("b").what(), "ab");
}

}  // namespace
}  // namespace adoc
