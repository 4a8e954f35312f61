#include "cli/unknown_option.hpp"

#include <gtest/gtest.h>

namespace adoc::cli {
namespace {

std::string said_of(const std::string& typed) {
  return unknown_option_message(
      typed, {"-n", "--dry-run", "-v", "--verbose", "--checksum", "--exclude", "--level"},
      send_habits());
}

void expect_said(const std::string& typed, const std::string& fragment) {
  EXPECT_NE(said_of(typed).find(fragment), std::string::npos) << said_of(typed);
}

TEST(UnknownOptionTest, WhatScpAndRsyncTakeHasAnAnswer) {
  // Goal: whoever types what they always type learns what is the case here.
  expect_said("-r", "unknown option -r: directories are sent whole without it");
  expect_said("--recursive", "without it");
  expect_said("-t", "modes, times and links");
  expect_said("-z", "--level N");
  expect_said("-P", "HOST:PORT");
  expect_said("--delete", "nothing is removed");
  expect_said("--filter=list", "--filter: rules are given with --exclude");
}

TEST(UnknownOptionTest, LettersWrittenTogetherAreAnsweredOneByOne) {
  // Goal: -rvz is three options; those that there are need no answer.
  EXPECT_EQ(said_of("-rvz").find("-v:"), std::string::npos);
  expect_said("-rvz", "(-r: ");
  expect_said("-rvz", "; -z: ");
  expect_said("-P5000", "(-P: a port");
  EXPECT_EQ(said_of("-aQ"), "unknown option -aQ");
}

TEST(UnknownOptionTest, AMistypedOptionIsToldTheNearestOne) {
  // Goal: one look at the message is enough to correct the command.
  EXPECT_EQ(said_of("--cheksum"), "unknown option --cheksum; did you mean --checksum?");
  EXPECT_EQ(said_of("-checksum"), "unknown option -checksum; did you mean --checksum?");
  EXPECT_EQ(said_of("--lvel=3"), "unknown option --lvel; did you mean --level?");
  EXPECT_EQ(said_of("--dry"), "unknown option --dry; did you mean --dry-run?");
  EXPECT_EQ(said_of("--frobnicate"), "unknown option --frobnicate");
  EXPECT_EQ(said_of("-Z"), "unknown option -Z");
}

TEST(UnknownOptionTest, AKeyIsNotRepeated) {
  // Goal: what is behind an equals sign may be a secret.
  expect_said("--key=adoc1secret", "ADOC_KEY");
  EXPECT_EQ(said_of("--key=adoc1secret").find("secret"), std::string::npos);
}

}  // namespace
}  // namespace adoc::cli
