#include "source/listed_names.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

/// Each name, with a slash behind those of which the contents are meant.
std::vector<std::string> sorted(const std::vector<std::string>& list) {
  std::vector<std::string> names;
  for (const ListedName& name : sorted_names(list))
    names.push_back(name.path + (name.contents ? "/" : ""));
  return names;
}

TEST(ListedNamesTest, NamesAreCleanedAndComeOnce) {
  // Goal: slashes and dots that say nothing make no second name; the directory itself is none.
  EXPECT_EQ(sorted({"a", "./a", "/a", "//a", "./", ".", "/", "", "b//c", "b/./c", "d/.", "d"}),
            (std::vector<std::string>{"a", "b/c", "d/"}));
  EXPECT_EQ(sorted({"...", "..a", "a.."}), (std::vector<std::string>{"...", "..a", "a.."}));
  EXPECT_EQ(sorted({"x/../y"}), (std::vector<std::string>{"x/../y"}));
}

TEST(ListedNamesTest, WhatIsInADirectoryFollowsItAtOnce) {
  // Goal: no byte of a name comes between, be it below or above the slash.
  EXPECT_EQ(sorted({"d-x", "d/b", "d", "d\x01", "d\xff", "d/a/c", "d/a", "d0"}),
            (std::vector<std::string>{"d", "d/a", "d/a/c", "d/b", "d\x01", "d-x", "d0", "d\xff"}));
}

TEST(ListedNamesTest, BelowMeansByWholeComponents) {
  // Goal: a name that begins alike is not below.
  EXPECT_TRUE(lies_below("a/b", "a"));
  EXPECT_TRUE(lies_below("a/b/c", "a"));
  EXPECT_FALSE(lies_below("a", "a"));
  EXPECT_FALSE(lies_below("ab", "a"));
  EXPECT_FALSE(lies_below("b/a", "a"));
}

}  // namespace
}  // namespace adoc
