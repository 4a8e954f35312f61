#include "io/bundle_state.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"

namespace adoc {
namespace {

TEST(BundleStateTest, OnlyWhatWasWrittenOrIsBeingWrittenCanHaveArrived) {
  // Goal: the peer may say that it has what the thread that writes has not yet counted, and nothing
  // beyond that.
  BundleState state(1000, 1000);
  state.keeps = true;
  state.out.give_sent(100);
  state.writing = 10;
  state.hear(110, 1000);
  EXPECT_EQ(state.out.arrived(), 100U);
  testkit::expect_corrupt("more has arrived than was sent", [&] { state.hear(111, 1000); });
  state.end_writing();
  testkit::expect_corrupt("more has arrived than was sent", [&] { state.hear(101, 1000); });
  state.out.finish_sent();
  state.hear(101, 1000);
  testkit::expect_corrupt("more has arrived than was sent", [&] { state.hear(102, 1000); });
}

TEST(BundleStateTest, InRecordsAsWell) {
  // Goal: the same of a direction that has changed to records.
  BundleState state(1000, 1000);
  state.keeps = true;
  state.out.give_sent(100);
  state.lose_first();
  state.hear(100, 1000);
  EXPECT_EQ(state.out.arrived(), 100U);
  testkit::expect_corrupt("that were not sent", [&] { state.hear(101, 1000); });
}

}  // namespace
}  // namespace adoc
