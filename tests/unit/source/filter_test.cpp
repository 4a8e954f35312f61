#include "source/filter.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

TEST(FilterTest, WildcardsMatchAsInRsync) {
  // Goal: a table of patterns against whole texts.
  struct Case {
    std::string_view pattern;
    std::string_view text;
    bool match;
  };
  for (const Case& c : std::initializer_list<Case>{{"", "", true},
                                                   {"", "a", false},
                                                   {"a", "", false},
                                                   {"abc", "abc", true},
                                                   {"abc", "abcd", false},
                                                   {"*", "", true},
                                                   {"*", "abc", true},
                                                   {"*", "a/b", false},
                                                   {"**", "a/b", true},
                                                   {"*.o", "x.o", true},
                                                   {"*.o", ".o", true},
                                                   {"*.o", "x.c", false},
                                                   {"*.o", "d/x.o", false},
                                                   {"**.o", "d/x.o", true},
                                                   {"a*b*c", "a__b__bc", true},
                                                   {"a*b*c", "acb", false},
                                                   {"?", "a", true},
                                                   {"?", "", false},
                                                   {"?", "/", false},
                                                   {"a?c", "abc", true},
                                                   {"[abc]", "b", true},
                                                   {"[abc]", "d", false},
                                                   {"[a-c]x", "bx", true},
                                                   {"[!a-c]", "d", true},
                                                   {"[^a-c]", "b", false},
                                                   {"[!a]", "/", false},
                                                   {"[]]", "]", true},
                                                   {"[]-]", "-", true},
                                                   {"[a-]", "-", true},
                                                   {"[z-a]", "m", false},
                                                   {"[", "[", true},
                                                   {"[ab", "[ab", true},
                                                   {"[\\]]", "]", true},
                                                   {"\\*", "*", true},
                                                   {"\\*", "a", false},
                                                   {"\\", "\\", true},
                                                   {"a/*/c", "a/b/c", true},
                                                   {"a/*/c", "a/b/b/c", false},
                                                   {"a/**/c", "a/b/b/c", true}})
    EXPECT_EQ(wildcard_match(c.pattern, c.text), c.match) << c.pattern << " on " << c.text;
}

TEST(FilterTest, TheFirstRuleThatMatchesDecidesAndNoneIncludes) {
  // Goal: the order of the options matters.
  const Filter filter({{true, "keep.o"}, {false, "*.o"}, {true, "*"}});
  EXPECT_TRUE(filter.includes("keep.o", false));
  EXPECT_FALSE(filter.includes("other.o", false));
  EXPECT_TRUE(filter.includes("x.c", false));
  EXPECT_TRUE(Filter().includes("anything", true));
  EXPECT_TRUE(Filter({{false, "*.o"}}).includes("x.c", false));
}

TEST(FilterTest, SlashesTieAPatternToPlaces) {
  // Goal: leading, trailing and inner slashes, as rsync reads them.
  struct Case {
    std::string pattern;
    std::string_view name;
    bool is_directory;
    bool excluded;
  };
  for (const Case& c : std::initializer_list<Case>{{"x", "x", false, true},
                                                   {"x", "d/x", false, true},
                                                   {"x", "x/y", false, false},
                                                   {"/x", "x", false, true},
                                                   {"/x", "d/x", false, false},
                                                   {"x/", "x", true, true},
                                                   {"x/", "x", false, false},
                                                   {"/x/", "d/x", true, false},
                                                   {"d/x", "d/x", false, true},
                                                   {"d/x", "e/d/x", false, true},
                                                   {"d/x", "ed/x", false, false},
                                                   {"d/*", "d/x", false, true},
                                                   {"d/*", "d/x/y", false, false},
                                                   {"d/**", "d/x/y", false, true},
                                                   {"d/***", "d", true, true},
                                                   {"d/***", "d/x/y", false, true},
                                                   {"d/***", "d", false, false}})
    EXPECT_EQ(Filter({{false, c.pattern}}).includes(c.name, c.is_directory), !c.excluded)
        << c.pattern << " on " << c.name;
}

}  // namespace
}  // namespace adoc
