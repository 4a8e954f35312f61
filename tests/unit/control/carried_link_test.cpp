#include <gtest/gtest.h>

#include "control/policy.hpp"
#include "unit/control/auto_ladder.hpp"

namespace adoc {
namespace {

using testkit::kAutoLadder;

/// Raw blocks of the last hundred over a link that always waits for more, where another program
/// takes so much of a processor for each byte; data that shrink to half at 1.2 ns a byte.
int raw_blocks(double carrying_seconds_per_byte) {
  const auto policy = make_policy({}, kAutoLadder, 1);
  const SampleStats stats{.entropy_bits = 5};
  LinkState link{.carrying_seconds_per_byte = carrying_seconds_per_byte};
  int raw_blocks = 0;
  for (int block = 0; block < 200; ++block) {
    const std::size_t raw = policy->plan(link).block_bytes;
    const int level = policy->choose(link, stats, raw).level;
    const double seconds =
        static_cast<double>(raw) * (level == 0 ? 0.1e-9 : 0.9e-9 + level * 0.1e-9);
    const std::size_t wire = level == 0 ? raw : raw / 2;
    link.seconds += seconds + static_cast<double>(wire) * carrying_seconds_per_byte;
    link.sent_bytes = link.arrived_bytes += wire;
    policy->learn(link, {.level = level,
                         .stats = stats,
                         .raw_bytes = raw,
                         .wire_bytes = wire,
                         .compress_seconds = seconds,
                         .processor_seconds = seconds});
    if (block >= 100 && level == 0) ++raw_blocks;
  }
  return raw_blocks;
}

TEST(CarriedLinkTest, WhatEncryptsEachByteIsGivenFewerOfThem) {
  // Goal: a link that is as fast as the processors let it be gets raw blocks where to send a byte
  // costs next to nothing, and light ones where ssh encrypts it.
  EXPECT_GT(raw_blocks(0), 90);
  EXPECT_LT(raw_blocks(3e-9), 10);
}

}  // namespace
}  // namespace adoc
