#include "cli/nearest_word.hpp"

#include <gtest/gtest.h>

namespace adoc::cli {
namespace {

TEST(NearestWordTest, DistancesCountWhatFingersDo) {
  // Goal: a letter too much, too few, another one, and two exchanged are one mistake each.
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("level", "level"), 0U);
  EXPECT_EQ(edit_distance("levl", "level"), 1U);
  EXPECT_EQ(edit_distance("levell", "level"), 1U);
  EXPECT_EQ(edit_distance("lavel", "level"), 1U);
  EXPECT_EQ(edit_distance("elvel", "level"), 1U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearestWordTest, TheNearestIsNearEnough) {
  // Goal: what was meant, or nothing.
  const std::vector<std::string> words{"checksum", "exclude", "include", "level", "max-level"};
  EXPECT_EQ(nearest_word("cheksum", words), "checksum");
  EXPECT_EQ(nearest_word("inculde", words), "include");
  EXPECT_EQ(nearest_word("xclude", words), "exclude");
  EXPECT_EQ(nearest_word("lev", words), "level");
  EXPECT_EQ(nearest_word("max-levle", words), "max-level");
  EXPECT_EQ(nearest_word("frobnicate", words), std::nullopt);
  EXPECT_EQ(nearest_word("l", words), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(100'000, 'x'), words), std::nullopt);
}

}  // namespace
}  // namespace adoc::cli
