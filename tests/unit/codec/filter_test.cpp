#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "codec/byte_filter.hpp"
#include "codec/filter_statistics.hpp"
#include "codec/filter_trial.hpp"
#include "support/seed.hpp"
#include "unit/codec/codec_fixture.hpp"

namespace adoc {
namespace {

constexpr FilterKind kKinds[] = {FilterKind::byte_shuffle, FilterKind::byte_delta,
                                 FilterKind::bit_shuffle};
constexpr std::uint8_t kItemBytes[] = {2, 4, 8};

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

Bytes filtered(const ByteFilter& filter, ByteSpan raw) {
  Bytes made(raw.size());
  Bytes scratch(needs_scratch(filter) ? raw.size() : 0);
  apply_filter(filter, raw, made, scratch);
  return made;
}

Bytes undone(const ByteFilter& filter, Bytes made) {
  Bytes raw(made.size());
  undo_filter(filter, made, raw);
  return raw;
}

/// All filters with all of their phases.
template <typename Step>
void for_each_filter(Step step) {
  for (const FilterKind kind : kKinds)
    for (const std::uint8_t item_bytes : kItemBytes)
      for (std::uint8_t phase = 0; phase < item_bytes; ++phase) step({kind, item_bytes, phase});
}

template <typename Number>
Bytes numbers(std::size_t count, auto&& next) {
  Bytes bytes(count * sizeof(Number));
  for (std::size_t i = 0; i < count; ++i) {
    const Number number = next(i);
    std::memcpy(bytes.data() + i * sizeof(Number), &number, sizeof(Number));
  }
  return bytes;
}

TEST(FilterTest, GoldenByteShuffle) {
  // Worked out by hand: one byte in front, eight items of two, three bytes behind.
  const Bytes raw = bytes_of({0x99, 0x00, 0x10, 0x01, 0x11, 0x02, 0x12, 0x03, 0x13, 0x04,
                              0x14, 0x05, 0x15, 0x06, 0x16, 0x07, 0x17, 0xA0, 0xA1, 0xA2});
  const Bytes made = bytes_of({0x99, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x10,
                               0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0xA0, 0xA1, 0xA2});
  const ByteFilter filter{.kind = FilterKind::byte_shuffle, .item_bytes = 2, .phase = 1};
  EXPECT_EQ(filtered(filter, raw), made);
  EXPECT_EQ(undone(filter, made), raw);
}

TEST(FilterTest, GoldenByteDelta) {
  // Eight items of four: 250, 254, 258, ... and 1 in the last byte.
  const Bytes raw = bytes_of({0xFA, 0, 0, 1, 0xFE, 0, 0, 1, 0x02, 1, 0, 1, 0x06, 1, 0, 1,
                              0x0A, 1, 0, 1, 0x0E, 1, 0, 1, 0x12, 1, 0, 1, 0x16, 1, 0, 1});
  const Bytes made = bytes_of({0xFA, 4, 4, 4, 4, 4, 4, 4, 0, 0, 1, 0, 0, 0, 0, 0,
                               0,    0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
  const ByteFilter filter{.kind = FilterKind::byte_delta, .item_bytes = 4};
  EXPECT_EQ(filtered(filter, raw), made);
  EXPECT_EQ(undone(filter, made), raw);
}

TEST(FilterTest, GoldenBitShuffle) {
  // The low bytes are 0 to 7, whose bits 0, 1 and 2 are AA, CC and F0; the first high byte is 80.
  const Bytes raw = bytes_of({0, 0x80, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0x77});
  const Bytes made = bytes_of({0xAA, 0xCC, 0xF0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x77});
  const ByteFilter filter{.kind = FilterKind::bit_shuffle, .item_bytes = 2};
  EXPECT_EQ(filtered(filter, raw), made);
  EXPECT_EQ(undone(filter, made), raw);
}

TEST(FilterTest, EveryFilterIsUndone) {
  // Goal: any bytes, of any length, come back; in between there are the same bytes or bits.
  testkit::Rng rng = testkit::seeded_rng();
  for (const std::size_t length :
       {0U, 1U, 7U, 15U, 16U, 17U, 63U, 64U, 65U, 4'095U, 4'096U, 40'003U}) {
    Bytes raw(length);
    for (std::byte& byte : raw) byte = static_cast<std::byte>(rng());
    for_each_filter([&](const ByteFilter& filter) {
      SCOPED_TRACE(std::string(filter_name(filter)) + " phase " + std::to_string(filter.phase) +
                   " length " + std::to_string(length));
      Bytes made = filtered(filter, raw);
      ASSERT_EQ(undone(filter, made), raw);
      if (filter.kind != FilterKind::byte_shuffle) return;
      Bytes sorted = raw;
      std::ranges::sort(sorted);
      std::ranges::sort(made);
      EXPECT_EQ(made, sorted);
    });
  }
}

TEST(FilterTest, EveryPatternOfAByteIsUndone) {
  // Goal: each value of a byte, at each place of an item, beside each other one.
  Bytes raw;
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second)
      for (const int value : {first, second}) raw.push_back(static_cast<std::byte>(value));
  for_each_filter([&](const ByteFilter& filter) {
    ASSERT_EQ(undone(filter, filtered(filter, raw)), raw) << filter_name(filter);
  });
}

TEST(FilterTest, SpecialNumbersAreBytesLikeOthers) {
  // Goal: NaN with its payload, infinities, zeros of both signs and subnormals are not touched.
  using Limits = std::numeric_limits<double>;
  const std::array special{Limits::quiet_NaN(),
                           Limits::signaling_NaN(),
                           Limits::infinity(),
                           -Limits::infinity(),
                           0.0,
                           -0.0,
                           Limits::denorm_min(),
                           Limits::max()};
  const Bytes raw = numbers<double>(4'096, [&](std::size_t i) { return special[i * i % 8]; });
  for_each_filter([&](const ByteFilter& filter) {
    ASSERT_EQ(undone(filter, filtered(filter, raw)), raw) << filter_name(filter);
  });
}

TEST(FilterTest, OnlyThoseThereAreAreValid) {
  int valid = 0;
  for (int kind = 0; kind < 256; ++kind)
    for (int item_bytes = 0; item_bytes < 256; ++item_bytes)
      for (int phase = 0; phase < 256; ++phase)
        valid += is_valid({FilterKind{static_cast<std::uint8_t>(kind)},
                           static_cast<std::uint8_t>(item_bytes), static_cast<std::uint8_t>(phase)})
                     ? 1
                     : 0;
  EXPECT_EQ(valid, 1 + 3 * (2 + 4 + 8));
}

class FilterTrialTest : public testing::Test {
 protected:
  [[nodiscard]] ByteFilter tried(ByteSpan block, CodecId codec = CodecId::zstd) const {
    const ByteFilter likely = likely_filter(block);
    if (likely.kind == FilterKind::none) return {};
    const FilterTrial trial = filter_trial(likely.item_bytes, {codec, 1}, block.size());
    return try_filters(trial, block, *make_compressor(codec), 1).cheapest({});
  }

  std::mt19937_64 random_{7};
};

TEST_F(FilterTrialTest, FindsTheSizeOfNumbers) {
  // Goal: of numbers that rise slowly the size of an item is found, whatever is before them.
  const auto ramp = [this](auto number) {
    using Number = decltype(number);
    Number at = 1'000;
    return numbers<Number>(100'000, [&](std::size_t) {
      return at = static_cast<Number>(at + static_cast<Number>(random_() % 100));
    });
  };
  EXPECT_EQ(tried(ramp(std::uint16_t{})).item_bytes, 2);
  EXPECT_EQ(tried(ramp(std::uint32_t{})).item_bytes, 4);
  EXPECT_EQ(tried(ramp(std::uint64_t{})).item_bytes, 8);
  std::normal_distribution<double> noise(0, 1);
  double sum = 0;
  Bytes doubles = numbers<double>(100'000, [&](std::size_t) { return sum += noise(random_); });
  doubles.insert(doubles.begin(), 3, std::byte{'#'});
  EXPECT_EQ(tried(doubles).item_bytes, 8);
}

TEST_F(FilterTrialTest, LeavesAloneWhatDoesNotGain) {
  // Goal: neither text, nor what is random, nor what is nothing has numbers in it.
  EXPECT_EQ(tried({}), ByteFilter{});
  EXPECT_EQ(tried(Bytes(5, std::byte{1})), ByteFilter{});
  for (const test::Kind kind : test::kKinds)
    EXPECT_EQ(tried(test::make_data(kind, 300'000, 1)), ByteFilter{}) << test::name(kind);
}

TEST_F(FilterTrialTest, NoFilterIsWorthItsTimeWhereBytesCostNothing) {
  // Goal: a trial measures the time that filters take.
  std::uint32_t at = 0;
  const Bytes ramp = numbers<std::uint32_t>(
      1 << 18, [&](std::size_t) { return at += static_cast<std::uint32_t>(random_() % 100); });
  const FilterTrial trial = filter_trial(4, {CodecId::zstd, 1}, ramp.size());
  const FilterCosts costs = try_filters(trial, ramp, *make_compressor(CodecId::zstd), 1);
  EXPECT_NE(costs.cheapest({}), ByteFilter{});
  EXPECT_EQ(costs.cheapest({.second = 1, .stored_byte = 1e-12}), ByteFilter{});
}

TEST(FilterTrialTermsTest, TheCheapestFilterIsNotTheOneThatStoresLeast) {
  // Goal: between two filters the price of a stored byte decides, and neither is for a gain of 2 %.
  FilterCosts costs{.item_bytes = 4};
  costs.of(FilterKind::none) = {.stored_bytes = 0.5};
  costs.of(FilterKind::byte_shuffle) = {.stored_bytes = 0.4, .seconds = 0.1e-9};
  costs.of(FilterKind::byte_delta) = {
      .stored_bytes = 0.3, .seconds = 0.1e-9, .seconds_to_undo = 0.7e-9};
  costs.of(FilterKind::bit_shuffle) = {.stored_bytes = 0.49};
  EXPECT_EQ(costs.cheapest({}).kind, FilterKind::byte_delta);
  const auto cheapest = [&](double second, double receiver_second) {
    const FilterPrices prices{
        .second = second, .receiver_second = receiver_second, .stored_byte = 1e-9};
    return costs.cheapest(prices).kind;
  };
  EXPECT_EQ(cheapest(0.5, 0.1), FilterKind::byte_delta);
  EXPECT_EQ(cheapest(0.5, 0.2), FilterKind::byte_shuffle);
  EXPECT_EQ(cheapest(1.2, 1), FilterKind::none);
  EXPECT_EQ(costs.cheapest({.receiver_second = 1, .stored_byte = 0}).kind, FilterKind::none);
}

TEST(FilterTrialTermsTest, PlanesOfLongBlocksHaveTablesApart) {
  const auto together = [](std::uint8_t item_bytes, std::size_t block_bytes,
                           const Rung& rung = {CodecId::zstd, 1}) {
    return int{filter_trial(item_bytes, rung, block_bytes).planes_together};
  };
  EXPECT_EQ(together(2, 0), 2);
  EXPECT_EQ(together(2, 128 << 10), 2);
  EXPECT_EQ(together(2, 256 << 10), 1);
  EXPECT_EQ(together(8, 128 << 10), 8);
  EXPECT_EQ(together(8, 300 << 10), 2);
  EXPECT_EQ(together(8, 512 << 10), 2);
  EXPECT_EQ(together(8, 4 << 20), 1);
  EXPECT_EQ(together(8, 4 << 20, {CodecId::zstd, -1}), 8);
  EXPECT_EQ(together(8, 4 << 20, {CodecId::lz4, 1}), 8);
}

TEST_F(FilterTrialTest, OfALongBlockShowsWhatTheBlockGains) {
  // Goal: of weights in bfloat16 the filter is found by which a block of 1 MiB gets shortest,
  // though the part that is tried has no room for two tables.
  std::normal_distribution<float> weight(0, 0.02F);
  const Bytes block = numbers<std::uint16_t>(512 << 10, [&](std::size_t) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(weight(random_)) >> 16);
  });
  EXPECT_EQ(tried(block), (ByteFilter{.kind = FilterKind::byte_shuffle, .item_bytes = 2}));
}

TEST_F(FilterTrialTest, NumbersInOnePlaceAreNotTakenForTheBlock) {
  // Goal: a page of numbers in the middle of a database does not have all of it filtered, nor does
  // a text in the middle of numbers keep those from it.
  std::uint32_t at = 0;
  const Bytes ramp = numbers<std::uint32_t>(
      1 << 20, [&](std::size_t) { return at += static_cast<std::uint32_t>(random_() % 100); });
  const Bytes text = test::make_data(test::Kind::text, ramp.size(), 1);
  const auto with_middle = [](Bytes block, const Bytes& middle) {
    const auto from = static_cast<std::ptrdiff_t>(block.size() / 16 * 7);
    std::copy_n(middle.begin() + from, block.size() / 8, block.begin() + from);
    return block;
  };
  const FilterTrial trial = filter_trial(4, {CodecId::zstd, 1}, ramp.size());
  const auto found = [&](const Bytes& block) {
    return try_filters(trial, block, *make_compressor(CodecId::zstd), 1).cheapest({});
  };
  EXPECT_EQ(found(with_middle(text, ramp)), ByteFilter{});
  EXPECT_EQ(found(with_middle(ramp, text)), found(ramp));
  EXPECT_EQ(found(ramp).item_bytes, 4);
}

TEST_F(FilterTrialTest, TakesBitsForACodecThatDoesNotCodeEntropy) {
  // Goal: samples of 12 bits in items of 16 hold nothing that repeats: LZ4 needs their bits apart.
  const Bytes samples = numbers<std::uint16_t>(
      100'000, [this](std::size_t) { return static_cast<std::uint16_t>(random_() % 4'096); });
  EXPECT_EQ(tried(samples, CodecId::lz4).kind, FilterKind::bit_shuffle);
}

}  // namespace
}  // namespace adoc
