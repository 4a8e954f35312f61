#include "cli/words.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace adoc::cli {
namespace {

TEST(WordsTest, EveryHintHasWordsAndEveryMemberAnOption) {
  for (int i = 1; i <= static_cast<int>(Hint::receiver_shows_key); ++i) {
    const auto hint = static_cast<Hint>(i);
    const Error error(ErrorKind::usage, "before ", hint, " after");
    const std::string words = words_of(error);
    EXPECT_NE(words, error.what()) << i;
    EXPECT_TRUE(words.starts_with("before ") && words.ends_with(" after")) << words;
    const bool is_member = std::strlen(member_name(hint)) != 0;
    EXPECT_EQ(is_member, words.starts_with("before --")) << words;
  }
}

TEST(WordsTest, WhatHasNoHintIsSaidAsItIs) {
  EXPECT_EQ(words_of({ErrorKind::corrupt, "timeout is a word"}), "timeout is a word");
}

}  // namespace
}  // namespace adoc::cli
