#include "control/auto/gaussian.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

/// Two variables of variance 4 that go together by 0.9.
Gaussian two() { return {{1, 2}, {4, 3.6, 3.6, 4}}; }

TEST(GaussianTest, AnObservationMovesWhatGoesWithIt) {
  // Goal: the conditional distribution, as in any textbook: gains of 4/5 and 3.6/5.
  Gaussian belief = two();
  belief.observe({.first = 0}, 6, 1);
  EXPECT_NEAR(belief.mean(0), 5, 1e-12);
  EXPECT_NEAR(belief.mean(1), 2 + 5 * 3.6 / 5, 1e-12);
  EXPECT_NEAR(belief.variance(0), 4 - 16.0 / 5, 1e-12);
  EXPECT_NEAR(belief.variance(1), 4 - 3.6 * 3.6 / 5, 1e-12);
}

TEST(GaussianTest, OfASumEachPartTakesItsShare) {
  // Goal: the first minus twice the second is seen exactly, and is so from then on.
  Gaussian belief = two();
  const Gaussian::Sum sum{.first = 0, .second = 1, .second_factor = -2};
  EXPECT_NEAR(belief.mean(sum), -3, 1e-12);
  EXPECT_NEAR(belief.variance(sum), 4 + 16 - 4 * 3.6, 1e-12);
  belief.observe(sum, 1, 0);
  EXPECT_NEAR(belief.mean(sum), 1, 1e-9);
  EXPECT_NEAR(belief.variance(sum), 0, 1e-9);
}

TEST(GaussianTest, WhatIsKnownExactlyStaysAsItIs) {
  // Goal: no division by nothing.
  Gaussian belief({1}, {0});
  belief.observe({.first = 0}, 5, 0);
  EXPECT_EQ(belief.mean(0), 1);
}

TEST(GaussianTest, WideningAddsThePriorsCovariance) {
  Gaussian belief = two();
  belief.observe({.first = 0}, 6, 0.01);
  const double before = belief.variance(1);
  belief.widen(0.5, two());
  EXPECT_NEAR(belief.variance(1), before + 2, 1e-12);
}

}  // namespace
}  // namespace adoc
