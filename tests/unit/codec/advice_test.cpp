#include "codec/advice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace adoc {
namespace {

LevelMeasurement measured(double compress, double ratio, double decompress) {
  return {.rung = {},
          .compress_bytes_per_second = compress,
          .ratio = ratio,
          .decompress_bytes_per_second = decompress};
}

const std::array kLevels{measured(10e9, 1, 20e9), measured(500e6, 2, 2e9), measured(50e6, 3, 1e9),
                         measured(3e6, 4, 1e9)};

TEST(BestLevel, ClimbsAsTheLinkGetsSlower) {
  // Goal: each link gets the level that min(threads * speed, link * ratio, decompression) favours.
  EXPECT_EQ(best_level(kLevels, 2e9, 1).level, 0U);
  EXPECT_EQ(best_level(kLevels, 125e6, 1).level, 1U);
  EXPECT_EQ(best_level(kLevels, 10e6, 1).level, 2U);
  EXPECT_EQ(best_level(kLevels, 0.5e6, 1).level, 3U);
  EXPECT_DOUBLE_EQ(best_level(kLevels, 10e6, 1).raw_bytes_per_second, 30e6);
}

TEST(BestLevel, ThreadsMakeDenserLevelsWorthwhile) {
  // Goal: with more threads the same link gets a denser level.
  EXPECT_EQ(best_level(kLevels, 60e6, 1).level, 1U);
  EXPECT_EQ(best_level(kLevels, 60e6, 4).level, 2U);
  EXPECT_DOUBLE_EQ(best_level(kLevels, 60e6, 4).raw_bytes_per_second, 180e6);
}

TEST(BestLevel, SlowDecompressionCounts) {
  // Goal: a level that the far side cannot keep up with is not chosen for its ratio.
  const std::array levels{measured(10e9, 1, 20e9), measured(5e9, 10, 50e6)};
  EXPECT_EQ(best_level(levels, 100e6, 1).level, 0U);
}

TEST(BestLevel, OfEqualsTheLowestIsTaken) {
  // Goal: data that no level makes smaller goes raw.
  const std::array levels{measured(10e9, 1, 20e9), measured(1e9, 1, 2e9)};
  EXPECT_EQ(best_level(levels, 1e6, 1).level, 0U);
}

TEST(BestPacket, IsWhereThePapersTimeIsSmallest) {
  // Goal: no other size makes T_t of Jeannot 2002, section 3.5.2 smaller.
  const PacketModel model{.block_bytes = 204'800,
                          .ratio = 2.5,
                          .compress_seconds_per_byte = 1e-7,
                          .decompress_seconds_per_byte = 2e-8,
                          .packet_seconds = 1e-4};
  const auto seconds = [&model](double packet_bytes) {
    return (model.compress_seconds_per_byte + model.decompress_seconds_per_byte) * model.ratio *
               packet_bytes +
           model.block_bytes / (model.ratio * packet_bytes) * model.packet_seconds;
  };
  const double best = best_packet_bytes(model);
  for (const double factor : {0.5, 0.9, 1.1, 2.0}) {
    EXPECT_LT(seconds(best), seconds(best * factor)) << factor;
  }
  // The order of the paper's 8 KB.
  EXPECT_GT(best, 2'000);
  EXPECT_LT(best, 20'000);
}

constexpr PipelineSite kSite{
    .link_bytes_per_second = 125e6, .chunk_seconds = 2e-6, .processors = 8, .message_bytes = 8e6};

TEST(Pipeline, OneChunkAtATimeTakesTheSumOfItsStages) {
  // Goal: with a single chunk nothing overlaps: compression, transfer and decompression add up.
  const PipelineSite site{
      .link_bytes_per_second = 1e6, .chunk_seconds = 0, .processors = 1, .message_bytes = 1e6};
  const PipelineShape shape{.threads = 1, .chunks = 2, .chunk_bytes = 1'000'000};
  EXPECT_NEAR(pipeline_bytes_per_second(shape, measured(2e6, 2, 4e6), site), 1e6 / 1.25, 1);
}

TEST(Pipeline, TheSlowestStageSetsThePaceOfManyChunks) {
  // Goal: many chunks overlap, so that only the bottleneck counts.
  const PipelineShape shape{.threads = 2, .chunks = 16, .chunk_bytes = 4'096};
  const double compression = pipeline_bytes_per_second(shape, measured(40e6, 2, 1e9), kSite);
  EXPECT_NEAR(compression, 80e6, 1e6);
  const double link = pipeline_bytes_per_second(shape, measured(1e9, 1, 1e9), kSite);
  EXPECT_NEAR(link, 4'096 / (2e-6 + 4'096 / 125e6), 1e6);
}

TEST(Pipeline, MoreThreadsThanProcessorsGainNothing) {
  // Goal: threads share the processors there are.
  PipelineSite site = kSite;
  site.processors = 2;
  const auto rate = [&site](std::size_t threads) {
    return pipeline_bytes_per_second({.threads = threads, .chunks = 64, .chunk_bytes = 4'096},
                                     measured(10e6, 2, 1e9), site);
  };
  EXPECT_GT(rate(2), 1.9 * rate(1));
  EXPECT_NEAR(rate(8), rate(2), 0.02 * rate(2));
}

TEST(Pipeline, Equation2TakesThreadsOnlyWhereTheyPay) {
  // Goal: where the link is the bottleneck one thread is enough; where compression is, and nothing
  // but bandwidth counts, more are taken.
  const std::array chunks{ChunkMeasurement{4'096, measured(100e6, 2, 1e9)}};
  PipelineSite slow = kSite;
  slow.link_bytes_per_second = 1.25e6;
  EXPECT_EQ(best_pipeline(chunks, slow).threads, 1U);
  EXPECT_EQ(best_pipeline(chunks, slow).chunks, 2U);
  const TradeOffWeights only_bandwidth{.bandwidth = 1, .size = 0, .threads = 0};
  EXPECT_GE(best_pipeline(chunks, kSite, only_bandwidth).threads, 2U);
}

TEST(Pipeline, Equation2PrefersSmallChunksThatAreAsFast) {
  // Goal: memory counts: of chunk sizes with the same speed the smallest is taken.
  const std::array chunks{ChunkMeasurement{1'024, measured(500e6, 2, 1e9)},
                          ChunkMeasurement{131'072, measured(500e6, 2, 1e9)}};
  PipelineSite site = kSite;
  site.chunk_seconds = 0;
  EXPECT_EQ(best_pipeline(chunks, site).chunk_bytes, 1'024U);
}

}  // namespace
}  // namespace adoc
