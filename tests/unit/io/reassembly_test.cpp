#include "io/reassembly.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

TEST(ReassemblyTest, ADirectionIsCompleteOnceNothingIsMissingBeforeItsEnd) {
  // Goal: the end may overtake data that went over another connection, and is not all then: if
  // that connection is lost, the data come again over one that joins.
  Reassembly in(1'000);
  EXPECT_FALSE(in.has_all());
  in.put(0, 100);
  in.put_end(300);
  in.put(200, 300);
  EXPECT_TRUE(in.has_end());
  EXPECT_FALSE(in.has_all());
  in.put(100, 200);
  EXPECT_TRUE(in.has_all());
  EXPECT_FALSE(in.at_end());
  in.read(300);
  EXPECT_TRUE(in.at_end());
}

TEST(ReassemblyTest, WhatCameAnotherWayIsNotWaitedFor) {
  // Goal: a direction may begin without records; what comes again of that is known.
  Reassembly in(1'000);
  in.begin_at(5'000);
  EXPECT_EQ(in.arrived(), 5'000U);
  EXPECT_EQ(in.limit(), 6'000U);
  EXPECT_TRUE(in.piece(4'000, 5'500).is_in);
  EXPECT_EQ(in.piece(4'000, 5'500).end, 5'000U);
  in.put(5'000, 5'500);
  EXPECT_EQ(in.readable(), 500U);
  in.put_end(5'500);
  EXPECT_EQ(in.arrived(), 5'501U);
}

}  // namespace
}  // namespace adoc
