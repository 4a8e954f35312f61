#include "pipeline/overdue.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace adoc {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// A thousand bytes leave each millisecond, and have arrived so many milliseconds later.
std::uint64_t sent_by(std::int64_t ms) {
  return ms < 0 ? 0 : 1'000 * static_cast<std::uint64_t>(ms);
}

std::uint64_t overdue_after(Overdue& overdue, std::int64_t from_ms, std::int64_t to_ms,
                            std::int64_t way_ms, double round_trip_seconds) {
  std::uint64_t bytes = 0;
  for (std::int64_t ms = from_ms; ms < to_ms; ++ms)
    bytes = overdue.see(ms * kMs, sent_by(ms), sent_by(ms - way_ms), round_trip_seconds);
  return bytes;
}

TEST(OverdueTest, WhatARoundTripTakesIsNotOverdue) {
  Overdue overdue;
  EXPECT_EQ(overdue_after(overdue, 0, 500, 10, 10e-3), 0U);
}

TEST(OverdueTest, WhatStandsInAQueueIs) {
  // Goal: with a round trip of 10 ms and a queue of 40 ms, what was sent 25 to 50 ms ago; also when
  // the round trips that TCP tells of have become as long.
  Overdue overdue;
  EXPECT_EQ(overdue_after(overdue, 0, 100, 10, 10e-3), 0U);
  EXPECT_NEAR(static_cast<double>(overdue_after(overdue, 100, 600, 50, 50e-3)), 25'000, 2'000);
  EXPECT_EQ(overdue_after(overdue, 600, 700, 10, 50e-3), 0U);
}

TEST(OverdueTest, ItShowsBeforeAnythingArrives) {
  // Goal: a shaper lets pass 50,000 bytes at once, and then nothing for a while.
  Overdue overdue;
  constexpr std::uint64_t kPassed = 50'000;
  std::uint64_t bytes = overdue.see(0, 0, 0, 1e-3);
  bytes = overdue.see(1 * kMs, 150'000, kPassed, 1e-3);
  EXPECT_EQ(bytes, 0U);
  bytes = overdue.see(10 * kMs, 150'000, kPassed, 1e-3);
  EXPECT_EQ(bytes, 100'000U);
}

TEST(OverdueTest, NothingIsWhereNoRoundTripIsKnown) {
  Overdue overdue;
  EXPECT_EQ(overdue_after(overdue, 0, 500, 100, 0), 0U);
}

}  // namespace
}  // namespace adoc
