#include "transfer/path_metrics_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "unit/control/auto_ladder.hpp"

namespace adoc {
namespace {

using testkit::kAutoLadder;

PathMetrics some() {
  return {.log_rate = 14.25,
          .log_rate_deviation = 0.125,
          .bytes = 5e6,
          .contention = 1.5,
          .receiver = {.overall = 2.75, .decompressing = 0.125},
          .classes = {{.entropy_bits = 5.5,
                       .length_loss = {.mean = 0.03125, .variance = 0.0009765625},
                       .levels = {{.level = 1,
                                   .log_seconds = {.mean = -20.5, .variance = 0.0625},
                                   .strength = {.mean = 1.0 / 3, .variance = 0.1}},
                                  {.level = 20}}},
                      {.entropy_bits = 8, .random = true}}};
}

TEST(PathMetricsTextTest, WhatIsWrittenIsReadAsItWas) {
  EXPECT_EQ(decode_path_metrics(encode(some(), kAutoLadder), kAutoLadder), some());
  const PathMetrics little{.log_rate = 1};
  EXPECT_EQ(decode_path_metrics(encode(little, kAutoLadder), kAutoLadder), little);
}

TEST(PathMetricsTextTest, WhatIsOfAnotherLadderOrVersionIsNotKnown) {
  EXPECT_FALSE(decode_path_metrics(encode(some(), Ladder::named("zstd")), kAutoLadder));
  std::string text = encode(some(), kAutoLadder);
  text.replace(text.find(" 8 "), 3, " 7 ");
  EXPECT_FALSE(decode_path_metrics(text, kAutoLadder));
}

TEST(PathMetricsTextTest, WhatNoTransferGivesIsNotBelieved) {
  const std::string title = "adoc path-metrics 8 auto\n";
  const std::string good =
      title + "link 14 0.1 1000\nclass 5 0 0.03 0.001\nlevel 2 -20 0.1 0.5 0.1\n";
  ASSERT_TRUE(decode_path_metrics(good, kAutoLadder));
  for (const char* text : {"", "\n", "adoc", "adoc path-metrics 8 auto"})
    EXPECT_FALSE(decode_path_metrics(text, kAutoLadder)) << text;
  for (const char* line : {"link -1 0 1",
                           "link nan 0 1",
                           "link inf 0 1",
                           "link 51 0 1",
                           "link 14 -1 1",
                           "link 14 1 -1",
                           "link 14 1",
                           "link",
                           "link x 1 1",
                           "link 1 2 3 4",
                           "contention 0.9",
                           "contention",
                           "receiver -1 1",
                           "receiver 1",
                           "receiver 1 nan",
                           "receiver 1e13 1",
                           "class 9 0 0 0",
                           "class -1 0 0 0",
                           "class 5 2 0 0",
                           "class 5 0 0 -1",
                           "class 5 0 0",
                           "level 24 0 1 0 1",
                           "level -1 0 1 0 1",
                           "level 0 0 1 0 1",
                           "level 1 99 1 0 1",
                           "level 1 0 -1 0 1",
                           "level 1 nan 1 0 1",
                           "level 1 0 1 0",
                           "more",
                           ""})
    EXPECT_FALSE(decode_path_metrics(good + line + "\n", kAutoLadder)) << line;
  EXPECT_FALSE(decode_path_metrics(title + "link 1 1 1\nlevel 1 0 1 0 1\n", kAutoLadder))
      << "of no class";
  EXPECT_FALSE(decode_path_metrics(title + "class 5 0 0 0\n", kAutoLadder)) << "of no link";
  for (const char* line : {"level 2 -20 0.1 0.5 0.1\n", "class 5 0 0.03 0.001\n"}) {
    std::string many = good;
    for (int i = 0; i < 1'000; ++i) many += line;
    EXPECT_FALSE(decode_path_metrics(many, kAutoLadder)) << "more than there are: " << line;
  }
}

TEST(PathMetricsTextTest, ChangedBytesGiveNothingOrFigures) {
  // Goal: whatever has become of the file, what comes out of it can be reckoned with.
  std::mt19937 random(1);
  const std::string text = encode(some(), kAutoLadder);
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = text;
    for (int change = 0; change < 3; ++change)
      changed[random() % changed.size()] = static_cast<char>(random());
    changed.resize(changed.size() - random() % 2 * (random() % changed.size()));
    const auto read = decode_path_metrics(changed, kAutoLadder);
    if (!read) continue;
    EXPECT_TRUE(std::isfinite(read->log_rate) && read->log_rate > 0);
    for (const PathMetrics::Class& its : read->classes)
      for (const PathMetrics::Level& level : its.levels) {
        EXPECT_TRUE(level.level > 0 && level.level <= kAutoLadder.last());
        EXPECT_TRUE(std::isfinite(level.log_seconds.mean + level.strength.mean));
        EXPECT_TRUE(level.log_seconds.variance >= 0 && level.strength.variance >= 0);
      }
  }
}

}  // namespace
}  // namespace adoc
