#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <thread>
#include <tuple>
#include <utility>

#include "codec/byte_filter.hpp"
#include "support/compress_stage_fixture.hpp"
#include "support/expect_error.hpp"
#include "support/made_up_frames.hpp"
#include "support/receiving_end.hpp"
#include "util/checksum.hpp"
#include "wire/block.hpp"

namespace adoc {
namespace {

using testkit::CompressStageTest;
using testkit::joined;
using testkit::kRoomForAll;
using testkit::MemorySource;
using testkit::packet_frame;
using testkit::received;
using testkit::ScriptedPolicy;

class FilteredBlockTest : public testing::Test {
 protected:
  [[nodiscard]] FilteredBlockHeader header(std::uint8_t filter, std::uint8_t item_bytes = 4,
                                           std::uint8_t phase = 1) const {
    return {.block = {.raw_bytes = raw_.size(),
                      .codec = static_cast<std::uint8_t>(CodecId::zstd),
                      .checksum = xxh3_64(raw_)},
            .filter = filter,
            .item_bytes = item_bytes,
            .phase = phase};
  }
  [[nodiscard]] Bytes stored(const ByteFilter& filter) const {
    Bytes filtered(raw_.size());
    Bytes scratch(raw_.size());
    apply_filter(filter, raw_, filtered, scratch);
    const auto compressor = make_compressor(CodecId::zstd);
    compressor->begin(filtered, 1);
    Bytes packet(2 * raw_.size());
    packet.resize(compressor->next_packet(packet));
    return packet;
  }
  [[nodiscard]] Bytes run(const FilteredBlockHeader& header, const Bytes& stored) const {
    return joined(
        {encode_frame(header), packet_frame(stored), encode_frame(BlockEnd{stored.size()})});
  }
  void refuses(std::string_view fragment, const Bytes& frames) {
    SCOPED_TRACE(fragment);
    for (const std::size_t threads : {1U, 4U})
      testkit::expect_corrupt(fragment, [&] { static_cast<void>(received(frames, threads)); });
  }

  testkit::Rng rng_ = testkit::seeded_rng();
  Bytes raw_ = joined({testkit::some_noise(3'001, rng_), Bytes(4'000)});
};

TEST_F(FilteredBlockTest, ArrivesAsItWas) {
  using Byte = std::uint8_t;
  for (const Byte kind : {Byte{1}, Byte{2}, Byte{3}})
    for (const Byte item_bytes : {Byte{2}, Byte{4}, Byte{8}}) {
      const ByteFilter filter{FilterKind{kind}, item_bytes, 1};
      const Bytes frames = run(header(kind, item_bytes), stored(filter));
      for (const std::size_t threads : {1U, 3U}) EXPECT_TRUE(received(frames, threads) == raw_);
    }
}

TEST_F(FilteredBlockTest, WhatThereIsNotIsRefused) {
  // Goal: filters, items and phases that there are not, and what a filtered block cannot be.
  const Bytes some = stored({FilterKind::byte_shuffle, 4, 1});
  for (const auto& [filter, item_bytes, phase] : {std::array{0, 4, 1},
                                                  {0, 0, 0},
                                                  {4, 4, 1},
                                                  {255, 4, 1},
                                                  {1, 0, 0},
                                                  {1, 1, 0},
                                                  {1, 3, 0},
                                                  {1, 16, 0},
                                                  {1, 4, 4},
                                                  {3, 8, 255}})
    refuses("no such filter",
            run(header(static_cast<std::uint8_t>(filter), static_cast<std::uint8_t>(item_bytes),
                       static_cast<std::uint8_t>(phase)),
                some));
  FilteredBlockHeader raw = header(1);
  raw.block.codec = static_cast<std::uint8_t>(CodecId::raw);
  refuses("is not compressed", run(raw, raw_));
  FilteredBlockHeader unknown = header(1);
  unknown.block.codec = 99;
  refuses("no codec 99", run(unknown, some));
  FilteredBlockHeader longer = header(1);
  longer.block.raw_bytes = kMaxFilteredBlockBytes + 1;
  refuses("too long", run(longer, some));
  refuses("is cut", joined({encode_frame(header(1)), packet_frame(some),
                            encode_frame(Cut{.stored_bytes = some.size(), .raw_bytes = 100})}));
  refuses("checksum", run(header(2), some));
  FilteredBlockHeader less = header(1);
  --less.block.raw_bytes;
  refuses("holds more", run(less, some));
}

TEST_F(CompressStageTest, NumbersAreFilteredForAPeerThatTakesThem) {
  // Goal: numbers that hardly shrink by themselves go as a filter leaves them, at every level but
  // raw, if both sides want it; what is no number in between does not.
  constexpr auto kFilters = static_cast<std::uint64_t>(Feature::filters);
  Bytes data;
  double sum = 0;
  for (int i = 0; i < 300'000; ++i) {
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(double)>>(
        sum += static_cast<double>(rng_() >> 11));
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  const Bytes words = testkit::some_words(500'000, rng_);
  data.insert(data.end(), words.begin(), words.end());
  std::size_t unfiltered = 0;
  for (const auto& [features, filters] : {std::pair{kFilters, false},
                                          {std::uint64_t{0}, true},
                                          {kFilters, true},
                                          {kFilters | 1U, true}}) {
    SCOPED_TRACE(features);
    features_ = features;
    ScriptedPolicy policy({1, 12, 0, 20, 6}, {.block_bytes = 100'000});
    MemorySource source(data);
    Fifo fifo(kRoomForAll);
    CompressStage compress =
        stage({.ladder = "auto", .threads = 2, .filters = filters}, source, policy, fifo);
    std::vector<std::jthread> compressing;
    std::atomic<int> running = 2;
    for (int thread = 0; thread < 2; ++thread)
      compressing.emplace_back([&] {
        static_cast<void>(compress.run());
        if (--running == 0) fifo.close();
      });
    const Bytes sent = taken_from(fifo);
    EXPECT_TRUE(testkit::received(sent, 2) == data);
    if (!filters || (features & kFilters) == 0)
      unfiltered = sent.size();
    else
      EXPECT_LT(sent.size(), unfiltered * 9 / 10);
  }
  const auto decisions = observer_.decisions();
  EXPECT_EQ(decisions.front().filter, "none");
  EXPECT_TRUE(std::ranges::any_of(decisions, [](const Decision& decision) {
    return decision.filter.ends_with("-8") && decision.codec == "zstd";
  }));
  EXPECT_TRUE(std::ranges::none_of(decisions, [](const Decision& decision) {
    return decision.codec == "raw" && decision.filter != "none";
  }));
}

TEST_F(CompressStageTest, NumbersAreFilteredHoweverMuchIsReadAtOnce) {
  // Goal: where a level's blocks are longer than filtered ones may be, what is read becomes
  // several, each filtered.
  features_ = static_cast<std::uint64_t>(Feature::filters);
  Bytes data;
  double sum = 0;
  while (data.size() < kMaxFilteredBlockBytes * 5 / 2) {
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(double)>>(
        sum += static_cast<double>(rng_() >> 11));
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  ScriptedPolicy policy({6}, {.block_bytes = 2 * kMaxFilteredBlockBytes});
  MemorySource source(data);
  Fifo fifo(kRoomForAll);
  EXPECT_TRUE(stage({.ladder = "auto", .filters = true}, source, policy, fifo).run());
  fifo.close();
  EXPECT_TRUE(testkit::received(taken_from(fifo), 2) == data);
  const auto decisions = observer_.decisions();
  ASSERT_EQ(decisions.size(), 3U);
  for (const Decision& decision : decisions) EXPECT_TRUE(decision.filter.ends_with("-8"));
}

TEST_F(CompressStageTest, WhatNumbersThereAreCanBeTold) {
  // Goal: items of the size that was told and of no other, where they gain anything.
  features_ = static_cast<std::uint64_t>(Feature::filters);
  Bytes numbers;
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(double)>>(
        sum += static_cast<double>(rng_() >> 11));
    numbers.insert(numbers.end(), bytes.begin(), bytes.end());
  }
  Bytes integers;
  for (int i = 0; i < 200'000; ++i) {
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(std::uint32_t)>>(
        static_cast<std::uint32_t>(rng_() >> 45));
    integers.insert(integers.end(), bytes.begin(), bytes.end());
  }
  const Bytes words = testkit::some_words(500'000, rng_);
  for (const auto& [item_bytes, data, wanted] : {std::tuple{8U, &std::as_const(numbers), "-8"},
                                                 {4U, &integers, "-4"},
                                                 {8U, &words, "none"}}) {
    SCOPED_TRACE(item_bytes);
    const std::size_t before = observer_.decisions().size();
    ScriptedPolicy policy({6}, {.block_bytes = 100'000});
    MemorySource source(*data);
    Fifo fifo(kRoomForAll);
    EXPECT_TRUE(
        stage({.ladder = "auto", .filters = true, .item_bytes = item_bytes}, source, policy, fifo)
            .run());
    fifo.close();
    EXPECT_TRUE(testkit::received(taken_from(fifo), 2) == *data);
    const auto decisions = observer_.decisions();
    for (std::size_t i = before; i < decisions.size(); ++i)
      EXPECT_TRUE(decisions[i].filter.ends_with(wanted)) << decisions[i].filter;
  }
}

}  // namespace
}  // namespace adoc
