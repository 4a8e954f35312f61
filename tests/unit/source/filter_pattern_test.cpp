#include "source/filter_pattern.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <ctime>

#include "support/expect_error.hpp"

namespace adoc {
namespace {

bool matches(const std::string& pattern, const std::string& name, bool is_directory = false) {
  return FilterPattern(pattern).matches("/" + name + "/", is_directory);
}

struct Case {
  std::string pattern;
  std::string name;
  bool match;
};

TEST(FilterPatternTest, WildcardsMatchAsInRsync) {
  // Goal: a table of patterns with wildcards against names.
  for (const Case& c : std::initializer_list<Case>{{"*", "abc", true},
                                                   {"/*", "a/b", false},
                                                   {"/**", "a/b", true},
                                                   {"*.o", "x.o", true},
                                                   {"*.o", ".o", true},
                                                   {"*.o", "x.c", false},
                                                   {"/*.o", "d/x.o", false},
                                                   {"/**.o", "d/x.o", true},
                                                   {"a*b*c", "a__b__bc", true},
                                                   {"a*b*c", "acb", false},
                                                   {"?", "a", true},
                                                   {"/a?b", "a/b", false},
                                                   {"a?c", "abc", true},
                                                   {"a?c", "a\nc", true},
                                                   {"a*c", "a\nc", true},
                                                   {"a**c", "a\nc", true},
                                                   {"a?c",
                                                    "a\xff"
                                                    "c",
                                                    true},
                                                   {"a?c",
                                                    "a\xc3\xa4"
                                                    "c",
                                                    false},
                                                   {"/a/*/c", "a/b/c", true},
                                                   {"/a/*/c", "a/b/b/c", false},
                                                   {"/a/**/c", "a/b/b/c", true},
                                                   {"/a/**/c", "a/c", false}})
    EXPECT_EQ(matches(c.pattern, c.name), c.match) << c.pattern << " on " << c.name;
}

TEST(FilterPatternTest, ClassesMatchAsInRsync) {
  // Goal: members, ranges, negation, named classes, and brackets that are never closed.
  for (const Case& c : std::initializer_list<Case>{{"[abc]", "b", true},
                                                   {"[abc]", "d", false},
                                                   {"[a-c]x", "bx", true},
                                                   {"[!a-c]", "d", true},
                                                   {"[^a-c]", "b", false},
                                                   {"/x[!a]y", "x/y", false},
                                                   {"/x[.-0]y", "x/y", false},
                                                   {"[]]", "]", true},
                                                   {"[!]]", "]", false},
                                                   {"[]-a]", "_", true},
                                                   {"[]-]", "-", true},
                                                   {"[a-]", "-", true},
                                                   {"[a-c-e]", "d", false},
                                                   {"[a-c-e]", "-", true},
                                                   {"[z-a]", "m", false},
                                                   {"[!z-a]", "m", true},
                                                   {"[\\]]", "]", true},
                                                   {"[\\a-c]", "b", true},
                                                   {"[a-\\c]", "b", true},
                                                   {"[\xe0-\xff]", "\xe4", true},
                                                   {"[!a]", "\xe4", true},
                                                   {"[", "[", false},
                                                   {"[ab", "[ab", false},
                                                   {"[]", "[]", false},
                                                   {"a[b\\", "ab", false},
                                                   {"[[:alpha:]]", "q", true},
                                                   {"[[:alpha:]]", "1", false},
                                                   {"[[:alpha:]]", "\xe4", false},
                                                   {"[![:alpha:]]", "1", true},
                                                   {"[[:digit:][:upper:]_]", "_", true},
                                                   {"[[:digit:][:upper:]_]", "a", false},
                                                   {"[[:xdigit:]-x]", "-", true},
                                                   {"[[:punct:]]", "~", true},
                                                   {"[[:space:]]", "\v", true},
                                                   {"[[:cntrl:]]", "\x7f", true},
                                                   {"[[:word:]]", "a", false},
                                                   {"[[::]]", ":", false},
                                                   {"[[:]", ":", true},
                                                   {"[[:]", "[", true},
                                                   {"[[:ab]", "b", true},
                                                   {"[[:alpha:]", "a", false}})
    EXPECT_EQ(matches(c.pattern, c.name), c.match) << c.pattern << " on " << c.name;
}

TEST(FilterPatternTest, NamedClassesAreThoseOfTheLanguageInAscii) {
  // Goal: every class has every byte that it should have, and no other.
  const std::initializer_list<std::pair<const char*, int (*)(int)>> classes{
      {"alnum", std::isalnum}, {"alpha", std::isalpha}, {"blank", std::isblank},
      {"cntrl", std::iscntrl}, {"digit", std::isdigit}, {"graph", std::isgraph},
      {"lower", std::islower}, {"print", std::isprint}, {"punct", std::ispunct},
      {"space", std::isspace}, {"upper", std::isupper}, {"xdigit", std::isxdigit}};
  for (const auto& [name, has] : classes) {
    const FilterPattern pattern("[[:" + std::string(name) + ":]]");
    for (int byte = 1; byte < 256; ++byte) {
      if (byte == '/') continue;
      const std::string framed = {'/', static_cast<char>(byte), '/'};
      EXPECT_EQ(pattern.matches(framed, false), byte < 128 && has(byte) != 0)
          << name << " " << byte;
    }
  }
}

TEST(FilterPatternTest, ABackslashTakesTheNextCharacterOnlyWhereThereAreWildcards) {
  // Goal: rsync's rule, which surprises: `a\b` is the name with the backslash, `a\b*` is not.
  for (const Case& c : std::initializer_list<Case>{{"a\\b", "a\\b", true},
                                                   {"a\\b", "ab", false},
                                                   {"a\\\\b", "a\\b", false},
                                                   {"a\\b*", "ab", true},
                                                   {"a\\b*", "a\\b", false},
                                                   {"a\\\\b*", "a\\b", true},
                                                   {"\\", "\\", true},
                                                   {"\\*", "*", true},
                                                   {"\\*", "a", false},
                                                   {"\\?", "?", true},
                                                   {"\\[x]", "[x]", true},
                                                   {"*\\", "a\\", false}})
    EXPECT_EQ(matches(c.pattern, c.name), c.match) << c.pattern << " on " << c.name;
}

TEST(FilterPatternTest, SlashesTieAPatternToPlaces) {
  // Goal: leading, trailing and inner slashes, as rsync reads them.
  struct Place {
    std::string pattern;
    std::string name;
    bool is_directory;
    bool match;
  };
  for (const Place& c : std::initializer_list<Place>{
           {"x", "x", false, true},          {"x", "d/x", false, true},
           {"x", "x/y", false, false},       {"/x", "x", false, true},
           {"/x", "d/x", false, false},      {"x/", "x", true, true},
           {"x/", "x", false, false},        {"x//", "x", true, false},
           {"/", "x", true, false},          {"//", "x", true, false},
           {"/x/", "d/x", true, false},      {"d/x", "d/x", false, true},
           {"d/x", "e/d/x", false, true},    {"d/x", "ed/x", false, false},
           {"d/*", "d/x", false, true},      {"d/*", "e/d/x", false, true},
           {"d/*", "d/x/y", false, false},   {"*/x", "x", false, false},
           {"a[/]b", "a/b", false, false},   {"d/**", "d/x/y", false, true},
           {"d/**", "e/d/x/y", false, true}, {"d/**", "ed/x", false, false},
           {"d**x", "e/d/x", false, true},   {"**/x", "x", false, true},
           {"**/x", "d/e/x", false, true},   {"**x", "d/ex", false, true},
           {"d/***", "d", true, true},       {"d/***", "e/d", true, true},
           {"d/***", "d/x/y", false, true},  {"d/***", "d", false, false},
           {"***", "d/x", false, true}})
    EXPECT_EQ(matches(c.pattern, c.name, c.is_directory), c.match)
        << c.pattern << " on " << c.name << (c.is_directory ? ", a directory" : "");
}

TEST(FilterPatternTest, ManyStarsTakeTimeInProportionToTheName) {
  // Goal: a name that almost matches in 10^16 ways is looked at once, not in each way.
  const FilterPattern pattern("*a*a*a*a*a*a*a*a*a*a*ab");
  const FilterPattern deep("**a**a**a**a**a**a**a**a**a**a**ab");
  const std::clock_t begin = std::clock();
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(pattern.matches("/" + std::string(4'000, 'a') + "/", false));
    EXPECT_FALSE(deep.matches("/" + std::string(4'000, 'a') + "/", false));
  }
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 5);
}

TEST(FilterPatternTest, APatternThatIsTooLargeIsAUsageError) {
  // Goal: what cannot be compiled is said, and not ignored.
  EXPECT_TRUE(
      FilterPattern(std::string(4'095, '?')).matches("/" + std::string(4'095, 'x') + "/", false));
  testkit::expect_error(ErrorKind::usage, "begins with aaa",
                        [] { static_cast<void>(FilterPattern(std::string(4'096, 'a'))); });
}

}  // namespace
}  // namespace adoc
