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

}  // namespace
}  // namespace adoc
