#include "control/auto/rate_belief.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace adoc {
namespace {

constexpr double kLong = 1;  // seconds, of an observation that is no exception

double rate(const RateBelief& belief) { return std::exp(belief.log_mean()); }

TEST(RateBeliefTest, ItsPointsStandForAllOfIt) {
  // Goal: weights of 1 in the sum, rates in order, and the mean of the whole.
  const RateBelief belief;
  double weights = 0;
  double mean = 0;
  double last = 0;
  for (const RateBelief::Point& point : belief.points()) {
    EXPECT_GT(point.rate, last);
    last = point.rate;
    weights += point.weight;
    mean += point.weight * std::log(point.rate);
  }
  EXPECT_NEAR(weights, 1, 1e-9);
  EXPECT_NEAR(mean, belief.log_mean(), 1e-6);
  EXPECT_GT(belief.points().size(), 4U);
}

TEST(RateBeliefTest, AnIntervalThatIsNarrowIsBelieved) {
  for (const double seen : {50e3, 1.25e6, 125e6, 5e9}) {
    RateBelief belief;
    for (int i = 0; i < 3; ++i) belief.observe(0.95 * seen, 1.05 * seen, kLong);
    EXPECT_NEAR(rate(belief) / seen, 1, 0.1) << seen;
    EXPECT_LT(belief.log_deviation(), 0.15) << seen;
  }
}

TEST(RateBeliefTest, OneSideOnlyCutsOff) {
  // Goal: what passed while the link waited says that it is no slower, and nothing else.
  RateBelief belief;
  belief.observe(1e9, RateBelief::kAnyRate, kLong);
  EXPECT_GT(rate(belief), 1e9);
  EXPECT_GT(belief.log_deviation(), 0.4);
  RateBelief slow;
  slow.observe(0, 2e6, kLong);
  EXPECT_LT(rate(slow), 2e6);
  EXPECT_GT(slow.log_deviation(), 0.4);
}

TEST(RateBeliefTest, AMomentMayBeAnException) {
  // Goal: a thread that waits for its processor for 5 ms does not make a fast link a slow one; a
  // link that is slow for long is slow.
  RateBelief belief;
  for (int i = 0; i < 3; ++i) belief.observe(95e6, 105e6, kLong);
  belief.observe(0, 1e6, 1e-3);
  EXPECT_NEAR(rate(belief) / 100e6, 1, 0.2);
  for (int i = 0; i < 5; ++i) {
    belief.drift(0.1);
    belief.observe(0.9e6, 1.1e6, 0.1);
  }
  EXPECT_NEAR(rate(belief) / 1e6, 1, 0.2);
}

TEST(RateBeliefTest, WhatWasKnownIsForgottenWithTime) {
  RateBelief belief;
  for (int i = 0; i < 3; ++i) belief.observe(95e6, 105e6, kLong);
  const double before = belief.log_deviation();
  belief.drift(1);
  EXPECT_GT(belief.log_deviation(), before);
  for (int i = 0; i < 1'000; ++i) belief.drift(1);
  EXPECT_NEAR(belief.log_deviation(), RateBelief().log_deviation(), 0.1);
}

TEST(RateBeliefTest, WhatIsRememberedMayBeOfAnotherPath) {
  // Goal: sure enough to act on, and given up for a few observations.
  RateBelief belief(std::log(1e6), 0.1);
  EXPECT_NEAR(rate(belief) / 1e6, 1, 0.2);
  for (int i = 0; i < 4; ++i) {
    belief.drift(20e-3);
    belief.observe(90e6, 110e6, 20e-3);
  }
  EXPECT_NEAR(rate(belief) / 100e6, 1, 0.2);
}

}  // namespace
}  // namespace adoc
