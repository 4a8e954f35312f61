#include "source/filter.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"

namespace adoc {
namespace {

TEST(FilterTest, TheFirstRuleThatMatchesDecidesAndNoneIncludes) {
  // Goal: the order of the options matters.
  const Filter filter({{true, "keep.o"}, {false, "*.o"}, {true, "*"}});
  EXPECT_TRUE(filter.includes("keep.o", false));
  EXPECT_FALSE(filter.includes("other.o", false));
  EXPECT_TRUE(filter.includes("x.c", false));
  EXPECT_TRUE(Filter().includes("anything", true));
  EXPECT_TRUE(Filter({{false, "*.o"}}).includes("x.c", false));
}

TEST(FilterTest, APrefixCountsMoreThanTheOption) {
  // Goal: "- " and "+ ", as rsync takes them in --include and --exclude.
  EXPECT_FALSE(Filter({{true, "- x"}}).includes("x", false));
  EXPECT_TRUE(Filter({{false, "+ x"}, {false, "*"}}).includes("x", false));
  EXPECT_FALSE(Filter({{false, "-x"}}).includes("-x", false));
  EXPECT_FALSE(Filter({{false, "- - x"}}).includes("- x", false));
  for (const char* const cut : {"- ", "+ "})
    testkit::expect_error(ErrorKind::usage, "ends before a pattern", [&] {
      static_cast<void>(Filter({{false, cut}}));
    });
}

TEST(FilterTest, AnExclamationMarkForgetsTheRulesBeforeIt) {
  // Goal: alone it does; as the beginning of a name, or behind a prefix, it is that.
  EXPECT_TRUE(Filter({{false, "x"}, {false, "!"}}).includes("x", false));
  EXPECT_TRUE(Filter({{false, "x"}, {true, "!"}}).includes("x", false));
  EXPECT_FALSE(Filter({{false, "x"}, {false, "!"}, {false, "x"}}).includes("x", false));
  EXPECT_FALSE(Filter({{false, "!x"}}).includes("!x", false));
  EXPECT_FALSE(Filter({{true, "- !"}}).includes("!", false));
}

TEST(FilterTest, AnEmptyPatternIsNoRule) {
  // Goal: as in rsync, where it comes of a variable that is not set.
  EXPECT_TRUE(Filter({{false, ""}}).includes("x", false));
}

}  // namespace
}  // namespace adoc
