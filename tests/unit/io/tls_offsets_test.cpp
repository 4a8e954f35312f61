#include "io/tls_offsets.hpp"

#include <gtest/gtest.h>

#include "support/seed.hpp"

namespace adoc {
namespace {

TEST(TlsOffsetsTest, WhatHasNotArrivedTakesNothingFromWhatHas) {
  // Goal: what TLS adds to the bytes that are still here is not counted against those over there.
  TlsOffsets offsets;
  offsets.add(400, 0);
  offsets.add(423, 1);
  EXPECT_EQ(offsets.written_in(399), 0U);
  EXPECT_EQ(offsets.written_in(423), 1U);
  offsets.add(423 + 16'406, 16'385);
  EXPECT_EQ(offsets.written_in(423), 1U);
  EXPECT_EQ(offsets.written_in(423 + 8'203), 1U + 8'192);
  EXPECT_EQ(offsets.written_in(423 + 16'406), 16'385U);
  EXPECT_EQ(offsets.written_in(500 + 16'406), 16'385U) << "of which nothing is known yet";
}

TEST(TlsOffsetsTest, WhatWasWrittenNeverGetsLessNorMoreThanThereIs) {
  // Goal: whoever asks, seldom or often, sees bytes arrive and none come back.
  testkit::Rng rng = testkit::seeded_rng();
  TlsOffsets offsets;
  std::uint64_t made = 0;
  std::uint64_t written = 0;
  std::uint64_t asked = 0;
  std::uint64_t told = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t more = 1 + testkit::up_to(rng, 100'000);
    written += more;
    made += more + 22;
    offsets.add(made, written);
    if (i % 6'000 < 3'000) continue;  // nobody asks
    asked += testkit::up_to(rng, made - asked);
    const std::uint64_t now = offsets.written_in(asked);
    EXPECT_GE(now, told);
    EXPECT_LE(now, written);
    told = now;
  }
  EXPECT_EQ(offsets.written_in(made), written);
}

}  // namespace
}  // namespace adoc
