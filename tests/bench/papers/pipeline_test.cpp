#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bench/papers/pipeline/codecs.hpp"
#include "bench/papers/pipeline/lzop.hpp"
#include "bench/papers/pipeline/model.hpp"
#include "bench/papers/selective/topology.hpp"

namespace papers {
namespace {

// 1,000 bytes become 500; a link of 4,000 bit/s takes 1 s for those.
constexpr ChunkTimes kChunk = {
    .raw_bytes = 1000, .compress = 2, .wire_bytes = 500, .decompress = 3};

TEST(PipelineModel, IsFigureThree) {
  // Goal: worked out by hand for four chunks, at 4,000 bit/s.
  const std::array<ChunkTimes, 4> four = {kChunk, kChunk, kChunk, kChunk};
  // One thread: compressed at 2, 4, 6, 8, sent at 3, 5, 7, 9, decompressed at 6, 9, 12, 15.
  EXPECT_EQ(pipelined_seconds(four, {.threads = 1, .slots = 4, .link = 4000}), 15);
  // Two: compressed at 2, 2, 4, 4, sent at 3, 4, 5, 6, decompressed at 6, 7, 9, 10.
  EXPECT_EQ(pipelined_seconds(four, {.threads = 2, .slots = 4, .link = 4000}), 10);
  // One buffer: compressed at 2, 5, 8, 11, sent a second later, the last decompressed at 15.
  EXPECT_EQ(pipelined_seconds(four, {.threads = 4, .slots = 1, .link = 4000}), 15);
  // A second for each send: sent at 4, 6, 8, 10, decompressed at 7, 10, 13, 16.
  EXPECT_EQ(pipelined_seconds(four, {.threads = 1, .slots = 4, .link = 4000, .send_seconds = 1}),
            16);
  // The same where 500 bytes may wait in front of the link: the buffer is free at 2, 4, 6 and 8,
  // sent at 3, 5, 7 and 9.
  EXPECT_EQ(pipelined_seconds(four, {.threads = 4, .slots = 1, .link = 4000, .socket_bytes = 500}),
            12);
  // Half a second to wake up, four seconds a chunk: compressed at 2, 6, 10 and 14, sent
  // at 3.5, 7.5, 11.5 and 15.5.
  EXPECT_EQ(pipelined_seconds(four, {.threads = 4, .slots = 1, .link = 4000, .wake_seconds = 0.5}),
            18.5);
  EXPECT_EQ(pipelined_seconds({}, {}), 0);
  EXPECT_THROW((void)pipelined_seconds(four, {.threads = 0}), std::invalid_argument);
}

TEST(PipelineModel, WhatGrewIsSentRawAndNotDecompressed) {
  // Goal: section 4.6: 1,250 bytes would take 2.5 s and 3 s more; 1,000 take 2 s.
  ChunkTimes grown = kChunk;
  grown.wire_bytes = 1250;
  EXPECT_EQ(pipelined_seconds({&grown, 1}, {.link = 4000}), 2 + 2.5 + 3);
  EXPECT_EQ(pipelined_seconds({&grown, 1}, {.link = 4000, .raw_if_grown = true}), 4);
  EXPECT_EQ(pipelined_seconds({&kChunk, 1}, {.link = 4000, .raw_if_grown = true}), 6);
}

TEST(PipelineModel, NaiveIsTheSum) {
  // Goal: Figure 2's upper row.
  EXPECT_EQ(naive_seconds(kChunk, 4000), 6);
}

TEST(TradeOff, IsEquationTwo) {
  // Goal: worked out by hand: 2 * 0.6 - 4 * 0.15 - 2 * 0.25 = 0.1, and 0.6 - 0.15 - 0.25 = 0.2.
  const std::array<Configuration, 2> two = {{{2, 4, 2048}, {1, 2, 1024}}};
  const auto values =
      trade_offs(two, [](const Configuration& one) { return one.threads == 2 ? 200.0 : 100.0; });
  EXPECT_NEAR(values[0], 0.1, 1e-12);
  EXPECT_NEAR(values[1], 0.2, 1e-12);
  EXPECT_THROW((void)trade_offs({}, [](const auto&) { return 1.0; }), std::invalid_argument);
}

TEST(TradeOff, ChoosesInThreeSteps) {
  // Goal: a bandwidth that only chunks of 4 KB, 16 of them and 2 threads raise leads there.
  const Choice choice = choose([](const Configuration& one) {
    double width = 100;
    if (one.chunk_bytes == 4096) width *= 20;
    if (one.chunks >= 16) width *= 1.5;
    if (one.threads >= 2) width *= 1.9;
    return width;
  });
  ASSERT_EQ(choice.by_threads.size(), 4U);
  EXPECT_EQ(choice.by_threads[3], (Configuration{8, 16, 4096}));
  EXPECT_EQ(choice.best, (Configuration{2, 16, 4096}));
  // Where nothing helps, the least is taken.
  EXPECT_EQ(choose([](const auto&) { return 1.0; }).best, (Configuration{1, 2, 512}));
}

std::vector<std::byte> some_message(std::size_t size) {
  Dice dice(40);
  std::vector<std::byte> message(size);
  for (std::size_t i = 0; i < size; ++i) {
    message[i] =
        i / 4096 % 2 == 0 ? static_cast<std::byte>(i) : static_cast<std::byte>(dice.next());
  }
  return message;
}

TEST(ChunkCodecs, GiveBackEveryChunk) {
  // Goal: each codec, chunks that do not divide the message; measured sizes are what it makes.
  const auto message = some_message(20'001);
  auto names = every_codec();
  names.push_back("copy");
  for (const auto name : names) {
    const auto codec = make_chunk_codec(name);
    for (const std::size_t size : {std::size_t{1}, std::size_t{64}, message.size()}) {
      const auto times = measure_chunks(*codec, std::span(message).last(100), size);
      double raw = 0;
      for (const auto& one : times) raw += one.raw_bytes;
      EXPECT_EQ(raw, 100) << name;
    }
    std::vector<std::byte> stored(codec->bound(4096));
    std::vector<std::byte> back(4096);
    const std::size_t size = codec->compress(std::span(message).first(4096), stored);
    EXPECT_LT(size, name == "copy" ? 4097U : 4096U);
    EXPECT_THROW(codec->decompress(std::span(stored).first(size / 2), back), std::runtime_error);
  }
  EXPECT_THROW((void)make_chunk_codec("none"), std::invalid_argument);
}

TEST(ChunkCodecs, ThatAreAProcessGiveBackEveryChunkToo) {
  // Goal: the same of lzop, and an error for what it did not write.
  const auto codec = make_lzop();
  ASSERT_TRUE(codec) << "lzop is not installed";
  const auto message = some_message(20'001);
  const auto times = measure_chunks(*codec, message, 10'000);
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(times.back().raw_bytes, 1);
  EXPECT_LT(times.front().wire_bytes, 10'000);
  std::vector<std::byte> back(4096);
  EXPECT_THROW(codec->decompress(std::span(message).first(100), back), std::runtime_error);
}

TEST(PipelineRun, BringsTheMessageWithAnyNumberOfThreadsAndBuffers) {
  // Goal: no order of threads loses or changes a chunk, and it ends; run_pipeline() compares.
  const auto message = some_message(20'001);
  for (const auto name : chunk_codecs()) {
    for (const int threads : {1, 2, 4}) {
      for (const int slots : {1, 2, 16}) {
        for (const bool raw : {false, true}) {
          EXPECT_GT(
              run_pipeline(name, message, 1024,
                           {.threads = threads, .slots = slots, .link = 1e11, .raw_if_grown = raw}),
              0);
        }
      }
    }
  }
  EXPECT_THROW((void)run_pipeline("none", message, 4096, {}), std::invalid_argument);
}

}  // namespace
}  // namespace papers
