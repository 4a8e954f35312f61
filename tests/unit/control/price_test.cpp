#include "control/auto/price.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace adoc {
namespace {

/// Raw, and a level that halves everything.
constexpr std::array kTwo{Demand{.processors = 0, .channel = 10},
                          Demand{.processors = 6, .channel = 5}};

TEST(PriceTest, BothResourcesEndTogether) {
  // Goal: of the mixture x of the denser level, 6 x = 10 - 5 x: 5.4545 a byte, the dual's value.
  const Prices prices = balance(kTwo, 0);
  EXPECT_NEAR(prices.cost, 60.0 / 11, 1e-9);
  EXPECT_NEAR(prices.processors + prices.channel, 1, 1e-12);
  EXPECT_NEAR(prices.processors * 6 + prices.channel * 5, prices.channel * 10, 1e-9)
      << "both levels of the mixture cost the same";
}

TEST(PriceTest, AnIdleResourceIsFree) {
  constexpr std::array kFastLink{Demand{.processors = 1, .channel = 0.5},
                                 Demand{.processors = 6, .channel = 0.25}};
  EXPECT_EQ(balance(kFastLink, 0).channel, 0);
  constexpr std::array kSlowLink{Demand{.processors = 1, .channel = 500},
                                 Demand{.processors = 6, .channel = 250}};
  EXPECT_EQ(balance(kSlowLink, 0).processors, 0);
}

TEST(PriceTest, WhatWaitsMakesTheLinkDearer) {
  // Goal: the queue is the integral of what was sent too light.
  EXPECT_GT(balance(kTwo, 1).channel, balance(kTwo, 0).channel);
  EXPECT_GT(balance(kTwo, 1).cost, balance(kTwo, 0).cost);
  EXPECT_EQ(balance(kTwo, 100).channel, 1);
}

TEST(PriceTest, NoPairOfPricesSaysThatItTakesLonger) {
  // Goal: weak duality: the cheapest level at any prices costs no more than the value.
  const double value = balance(kTwo, 0.5).cost;
  for (double theta = 0; theta <= 1; theta += 0.01) {
    double least = 1e9;
    for (const Demand& level : kTwo)
      least = std::min(least, theta * level.processors + (1 - theta) * level.channel);
    EXPECT_LE(least + (1 - theta) * 0.5, value + 1e-9);
  }
}

}  // namespace
}  // namespace adoc
