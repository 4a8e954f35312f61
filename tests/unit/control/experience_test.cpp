#include "control/experience.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "unit/control/auto_ladder.hpp"

namespace adoc {
namespace {

using testkit::kAutoLadder;

Experience some() {
  return {.link_rate = 1234567.25,
          .receiver = {.overall = 2.75, .decompressing = 0.125},
          .machine = -0.5,
          .last_kind = 9,
          .kinds = {{.kind = 9,
                     .mean_bytes = 262144,
                     .length_squares = 3.5,
                     .length_products = -0.25,
                     .spread = 0.0625,
                     .levels = {{.level = 0, .weight = 5, .log_speed = 0.125},
                                {.level = 20,
                                 .weight = 1.0 / 3,
                                 .log_speed = -0.1,
                                 .log_ratio = 1.75,
                                 .doublings = -1}}},
                    {.kind = 17, .mean_bytes = 65536}}};
}

TEST(ExperienceTest, WhatIsWrittenIsReadAsItWas) {
  EXPECT_EQ(Experience::decode(some().encode(kAutoLadder), kAutoLadder), some());
  const Experience little{.link_rate = 1};
  EXPECT_EQ(Experience::decode(little.encode(kAutoLadder), kAutoLadder), little);
}

TEST(ExperienceTest, WhatIsOfAnotherLadderOrVersionIsNotKnown) {
  EXPECT_FALSE(Experience::decode(some().encode(Ladder::named("zstd")), kAutoLadder));
  std::string text = some().encode(kAutoLadder);
  text.replace(text.find(" 3 "), 3, " 2 ");
  EXPECT_FALSE(Experience::decode(text, kAutoLadder));
}

TEST(ExperienceTest, WhatNoTransferGivesIsNotBelieved) {
  const std::string title = "adoc experience 3 auto\n";
  const std::string good =
      title + "link 1000\nmachine 0\nlast 1\nkind 1 5 0 0 0\nlevel 2 1 0 0 0\n";
  ASSERT_TRUE(Experience::decode(good, kAutoLadder));
  for (const char* text : {"", "\n", "adoc", "adoc experience 3 auto"})
    EXPECT_FALSE(Experience::decode(text, kAutoLadder)) << text;
  for (const char* line : {"link 0",
                           "link -1",
                           "link nan",
                           "link inf",
                           "link 1e13",
                           "link",
                           "link x",
                           "link 1 2",
                           "receiver -1 1",
                           "receiver 1",
                           "receiver 1 nan",
                           "receiver 1e13 1",
                           "machine 1e9",
                           "last 18",
                           "last -1",
                           "last 1.5",
                           "kind 18 0 0 0 0",
                           "kind 1 0 0 0",
                           "kind 1 -1 0 0 0",
                           "kind 1 0 -1 0 0",
                           "kind 1 0 0 0 -1",
                           "level 21 1 0 0 0",
                           "level -1 1 0 0 0",
                           "level 1 5.1 0 0 0",
                           "level 1 1 nan 0 0",
                           "level 1 1 0 99 0",
                           "level 1 1 0 0",
                           "more",
                           ""})
    EXPECT_FALSE(Experience::decode(good + line + "\n", kAutoLadder)) << line;
  EXPECT_FALSE(Experience::decode(title + "link 1\nlevel 1 1 0 0 0\n", kAutoLadder))
      << "of no kind";
  std::string many = good;
  for (int i = 0; i < 1'000; ++i) many += "level 2 1 0 0 0\n";
  EXPECT_FALSE(Experience::decode(many, kAutoLadder)) << "more levels than there are";
}

TEST(ExperienceTest, ChangedBytesGiveNothingOrFigures) {
  // Goal: whatever has become of the file, what comes out of it can be reckoned with.
  std::mt19937 random(1);
  const std::string text = some().encode(kAutoLadder);
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = text;
    for (int change = 0; change < 3; ++change)
      changed[random() % changed.size()] = static_cast<char>(random());
    changed.resize(changed.size() - random() % 2 * (random() % changed.size()));
    const auto read = Experience::decode(changed, kAutoLadder);
    if (!read) continue;
    EXPECT_TRUE(std::isfinite(read->link_rate) && read->link_rate > 0);
    for (const Experience::Kind& kind : read->kinds)
      for (const Experience::Level& level : kind.levels) {
        EXPECT_TRUE(level.level >= 0 && level.level <= kAutoLadder.top());
        EXPECT_TRUE(std::isfinite(level.weight + level.log_speed + level.log_ratio));
      }
  }
}

}  // namespace
}  // namespace adoc
