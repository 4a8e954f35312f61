// Times of a file here and there.

#include "destination/same_time.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace adoc {
namespace {

TEST(SameTimeTest, IsTheListedOneRoundedDownToWhatAFileSystemKeeps) {
  // Goal: each unit is known, and each only downwards.
  const FileTime listed{1'700'000'001, 987'654'321};
  for (const std::uint32_t kept : {987'654'321U, 987'654'300U, 987'654'000U, 980'000'000U, 0U})
    EXPECT_TRUE(same_time(listed, {1'700'000'001, kept})) << kept;
  EXPECT_TRUE(same_time(listed, {1'700'000'000, 0})) << "two seconds";
  for (const std::uint32_t other : {987'654'320U, 987'654'322U, 987'654'400U, 987'655'000U,
                                    987'000'000U, 990'000'000U, 900'000'000U})
    EXPECT_FALSE(same_time(listed, {1'700'000'001, other})) << other;
  EXPECT_FALSE(same_time(listed, {1'700'000'002, 0})) << "rounded up";
  EXPECT_FALSE(same_time(listed, {1'700'000'000, 987'654'321}));
  EXPECT_FALSE(same_time(listed, {1'699'999'999, 0}));
}

TEST(SameTimeTest, AnEvenSecondIsNotRoundedToTheOneBefore) {
  // Goal: two seconds begin at even ones, as FAT has them, and never explain an odd one.
  EXPECT_FALSE(same_time({1'700'000'002, 5}, {1'700'000'001, 0}));
  EXPECT_FALSE(same_time({1'700'000'002, 5}, {1'700'000'000, 0}));
}

TEST(SameTimeTest, WhatWasRoundedDoesNotEqualWhatIsFiner) {
  // Goal: a whole second that is listed equals no time within it: nothing rounds that way.
  EXPECT_FALSE(same_time({1'700'000'000, 0}, {1'700'000'000, 1}));
  EXPECT_FALSE(same_time({1'700'000'000, 0}, {1'699'999'999, 999'999'999}));
}

TEST(SameTimeTest, TimesBefore1970AreRoundedTowardsThePast) {
  // Goal: as with those after it; the smallest one that a peer may name is no trap.
  EXPECT_TRUE(same_time({-3, 500'000'000}, {-4, 0}));
  EXPECT_TRUE(same_time({-4, 500'000'000}, {-4, 0}));
  EXPECT_FALSE(same_time({-3, 500'000'000}, {-2, 0}));
  constexpr auto kFirst = std::numeric_limits<std::int64_t>::min();
  EXPECT_FALSE(same_time({kFirst, 1}, {std::numeric_limits<std::int64_t>::max(), 0}));
  EXPECT_TRUE(same_time({kFirst, 1}, {kFirst, 0}));
}

}  // namespace
}  // namespace adoc
