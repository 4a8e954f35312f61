#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>

#include "adoc/levels.hpp"
#include "support/expect_error.hpp"

namespace adoc {
namespace {

namespace fs = std::filesystem;

class MeasureLevelsTest : public testing::Test {
 protected:
  MeasureLevelsTest() {
    std::ofstream out(path_);
    for (int i = 0; i < 5'000; ++i) out << "a packet of block " << i * 7;
  }
  ~MeasureLevelsTest() override { fs::remove(path_); }

  std::string path_ = fs::temp_directory_path() / ("adoc-levels-" + std::to_string(::getpid()));
  MeasureOptions options_{.path = path_, .pipeline = {.ladder = LadderKind::zlib, .threads = 1}};
};

TEST_F(MeasureLevelsTest, GivesEveryLevelOfTheLadderInOrder) {
  // Goal: one figure for each level, in the ladder's order, whichever thread made it.
  std::atomic<std::size_t> steps = 0;
  const LevelFigures figures =
      measure_levels(options_, {.on_level = [&](std::size_t, std::size_t of) {
                       EXPECT_EQ(of, 10U);
                       ++steps;
                     }});
  ASSERT_EQ(figures.levels.size(), 10U);
  EXPECT_EQ(steps, 10U);
  EXPECT_EQ(figures.files, 1U);
  EXPECT_EQ(figures.bytes, fs::file_size(path_));
  EXPECT_EQ(figures.sample_bytes, figures.bytes);
  EXPECT_EQ(figures.threads, 1U);
  EXPECT_DOUBLE_EQ(figures.levels[0].ratio, 1);
  for (std::size_t level = 1; level <= 9; ++level) {
    EXPECT_EQ(figures.levels[level].rung, "zlib " + std::to_string(level));
    EXPECT_GT(figures.levels[level].ratio, 1.5);
    EXPECT_GT(figures.levels[level].compress_bytes_per_second, 0);
    EXPECT_GT(figures.levels[level].decompress_bytes_per_second, 0);
  }
}

TEST_F(MeasureLevelsTest, AdvisesForTheLinksThatAreAskedFor) {
  // Goal: for a link of a kilobyte a second the densest level, and packets that a sender takes.
  options_.links_bytes_per_second = {1e3, 1e5};
  const LevelFigures figures = measure_levels(options_);
  ASSERT_EQ(figures.links.size(), 2U);
  std::size_t densest = 0;
  for (std::size_t level = 0; level < figures.levels.size(); ++level)
    if (figures.levels[level].ratio > figures.levels[densest].ratio) densest = level;
  EXPECT_EQ(figures.links[0].level, densest);
  for (const LinkAdvice& advice : figures.links) {
    EXPECT_GT(advice.raw_bytes_per_second, advice.link_bytes_per_second);
    EXPECT_GE(advice.packet_bytes, kMinPacketBytes);
    EXPECT_LE(advice.packet_bytes, kMaxPacketBytes);
    EXPECT_GE(advice.chunk_threads, 1U);
  }
}

TEST_F(MeasureLevelsTest, WhatCannotBeMeasuredIsAnErrorOfItsKind) {
  using testkit::expect_error;
  expect_error(ErrorKind::usage, "no path", [] { static_cast<void>(measure_levels({})); });
  expect_error(ErrorKind::local_file, "no such file",
               [] { static_cast<void>(measure_levels({.path = "/nowhere/at/all"})); });
  options_.pipeline.block_bytes = 7;
  expect_error(ErrorKind::usage, "block_bytes 7: it goes from",
               [&] { static_cast<void>(measure_levels(options_)); });
  options_.pipeline.block_bytes = 0;
  options_.links_bytes_per_second = {0};
  expect_error(ErrorKind::usage, "a link", [&] { static_cast<void>(measure_levels(options_)); });
}

TEST_F(MeasureLevelsTest, AStopRequestEndsIt) {
  std::stop_source stop;
  stop.request_stop();
  testkit::expect_error(ErrorKind::interrupted, "interrupted",
                        [&] { static_cast<void>(measure_levels(options_, {}, stop.get_token())); });
}

}  // namespace
}  // namespace adoc
