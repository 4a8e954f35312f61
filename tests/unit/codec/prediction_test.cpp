#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "codec/lossy.hpp"
#include "codec/lossy/measure_loss.hpp"
#include "codec/predicted_form.hpp"
#include "support/expect_error.hpp"
#include "support/seed.hpp"

namespace adoc {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr ItemType kPredicted[] = {ItemType::float32, ItemType::float64, ItemType::complex64,
                                   ItemType::complex128};

/// As they stand in memory, the last byte of a word first.
Bytes word_bytes(ItemType type, const Words& words) {
  Bytes bytes;
  for (const std::uint64_t word : words)
    for (std::size_t i = 0; i < number_bytes(type); ++i)
      bytes.push_back(static_cast<std::byte>(word >> (8 * i)));
  return bytes;
}

Bytes floats(const std::vector<float>& numbers) {
  Words words;
  for (const float number : numbers) words.push_back(std::bit_cast<std::uint32_t>(number));
  return word_bytes(ItemType::float32, words);
}

std::uint64_t word_of(ItemType type, double value) {
  if (number_bytes(type) == 8) return std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

Bytes hex(std::string_view digits) {
  Bytes bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(
        static_cast<std::byte>(std::stoul(std::string(digits.substr(i, 2)), nullptr, 16)));
  return bytes;
}

Bytes unfolded(ItemType type, const std::vector<NumberWindow>& windows, ByteSpan folded,
               std::size_t raw_bytes) {
  Bytes raw(raw_bytes, std::byte{0x5a});
  unfold(type, windows, folded, raw);
  return raw;
}

/// Both ways.
void expect_form(ItemType type, const std::vector<NumberWindow>& windows, const Bytes& raw,
                 std::size_t literals, const Bytes& form) {
  Buffer folded;
  const auto count = fold(type, windows, raw, folded);
  ASSERT_EQ(count, literals);
  EXPECT_EQ(Bytes(folded.begin(), folded.end()), form);
  EXPECT_EQ(unfolded(type, windows, form, raw.size()), raw);
}

/// Every kind of bit pattern among waves of all sizes.
Bytes any_numbers(ItemType type, testkit::Rng& rng, std::size_t count, unsigned one_in) {
  const unsigned bits = static_cast<unsigned>(number_bytes(type) * 8);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t sign = (all >> 1) + 1;
  const double size = std::ldexp(1, static_cast<int>(testkit::up_to(rng, 60)) - 30);
  const double slope = 1e-3 * static_cast<double>(1 + testkit::up_to(rng, 100));
  Words words;
  while (words.size() < count) {
    words.push_back(word_of(type, size * std::sin(slope * static_cast<double>(words.size()))));
    if (rng() % one_in != 0) continue;
    switch (rng() % 6) {
      case 0:
        words.back() = rng() & all;
        break;
      case 1:
        words.back() = rng() % 2 * sign;
        break;
      case 2:
        words.back() = rng() % 1'000;  // subnormal
        break;
      case 3:
        words.back() = word_of(type, std::numeric_limits<double>::infinity()) | (rng() % 2 * sign);
        break;
      case 4:
        words.back() = all - rng() % 1'000;  // NaN
        break;
      default:
        words.back() = word_of(type, std::numeric_limits<float>::max());
    }
  }
  return word_bytes(type, words);
}

std::vector<NumberWindow> any_windows(ItemType type, testkit::Rng& rng, std::size_t raw_bytes) {
  std::vector<NumberWindow> windows;
  std::size_t left = raw_bytes;
  while (left >= 100) {
    const std::size_t skipped = rng() % 3 == 0 ? rng() % 50 : 0;
    left -= skipped;
    const std::size_t numbers = 1 + rng() % (left / number_bytes(type));
    left -= numbers * number_bytes(type);
    windows.push_back({.skipped = skipped,
                       .numbers = numbers,
                       .predictor = static_cast<std::uint8_t>(rng() % kPredictors),
                       .exponent = static_cast<std::int16_t>(rng() % 80 - 60),
                       .step = static_cast<std::uint16_t>(1 + rng() % 600)});
  }
  return windows;
}

TEST(PredictionTest, GoldenCubic) {
  // Worked out by hand, in units of 1/2, with a step of 3. 6 is 12 units, 4 steps from 0: 11. Of
  // 9, 18 units, the number before tells 12: 2 steps, 7. Between them is 15: 7.5, 0. Then
  // (3*12 + 6*15 - 18 + 4) >> 3 = 14, of which 5.5, 11 units, is -1 step: 4; and
  // (6*15 + 3*18 - 12 + 4) >> 3 = 17, which is 8.5: 0.
  const std::vector<NumberWindow> windows{
      {.numbers = 5, .predictor = 2, .exponent = -1, .step = 3}};
  expect_form(ItemType::float32, windows, floats({6, 5.5, 7.5, 8.5, 9}), 0,
              hex("0b07000400"
                  "0000000000"
                  "0000000000"
                  "0000000000"));
}

TEST(PredictionTest, GoldenFullCubic) {
  // Nine numbers in units of 1 and steps of 1: 0, 80, 160, .. 640 but that the fourth is 250. First
  // 0; 640 of 0, 640 steps, 0x503; 320 of (0+640+1)>>1, 0; 160 of (3*0 + 6*320 - 640 + 4)>>3, 0,
  // and 480 of (6*320 + 3*640 - 0 + 4)>>3, 0. Then 80 of (3*0 + 6*160 - 320 + 4)>>3, 0; the fourth
  // of (9*(160 + 320) - 0 - 480 + 8)>>4 = 240, 10 steps, 0x17; 400 of
  // (9*(320 + 480) - 160 - 640 + 8)>>4, 0; and 560 of (6*480 + 3*640 - 320 + 4)>>3, 0.
  const std::vector<NumberWindow> windows{{.numbers = 9, .predictor = 2, .step = 1}};
  Words words;
  for (const double number : {0, 80, 160, 250, 320, 400, 480, 560, 640})
    words.push_back(word_of(ItemType::float64, number));
  expect_form(ItemType::float64, windows, word_bytes(ItemType::float64, words), 0,
              hex("000300000000170000"
                  "000500000000000000"
                  "000000000000000000"
                  "000000000000000000"
                  "000000000000000000"
                  "000000000000000000"
                  "000000000000000000"
                  "000000000000000000"));
}

TEST(PredictionTest, GoldenGradedComplex) {
  // Steps of 9 between neighbours, (2*9/3)|1 = 7 twice as far apart, and (9/3)|1 = 3 further. The
  // real parts are 3, 16, 10: 3 is 1 step of 3, 5; 10 of 3 is 1 step of 7, 5; 16 of
  // (3 + 10 + 1)>>1 = 7 is 1 step of 9, 5. The imaginary ones are 0, -9, 0: 0, 0 and -1 step, 4.
  const std::vector<NumberWindow> windows{{.numbers = 6, .predictor = 3, .step = 9}};
  expect_form(ItemType::complex64, windows, floats({3, 0, 16, -9, 10, 0}), 0,
              hex("050005000504"
                  "000000000000"
                  "000000000000"
                  "000000000000"));
}

TEST(PredictionTest, GoldenByThemselves) {
  // In steps of 3 from the number before: 6 is 7; 1 is 5 units less, so it is told by itself; the 0
  // is not -1/3 of a step; NaN by itself, and again, as if it were as predicted; 3 is 1 step from
  // that 0. -0 is told by itself. In front a byte that no window has, and behind three.
  const std::vector<NumberWindow> windows{{.skipped = 1, .numbers = 24, .predictor = 1, .step = 3}};
  std::vector<float> numbers{6, 1, 0, 0, 0, 3, -0.0F};
  numbers.resize(24, 0);
  Bytes raw = floats(numbers);
  for (const std::size_t at : {3U, 4U})
    for (const auto& [i, byte] : {std::pair{0, 1}, {1, 0}, {2, 0xC0}, {3, 0x7F}})
      raw[at * 4 + static_cast<std::size_t>(i)] = static_cast<std::byte>(byte);
  raw.insert(raw.begin(), std::byte{0xAA});
  for (const int byte : {1, 2, 3}) raw.push_back(static_cast<std::byte>(byte));
  Bytes form = hex("07010301020501");
  form.resize(4 * 24);
  for (const std::byte byte : hex("aa010203"
                                  "0000803f"
                                  "0100c07f"
                                  "00000080"))
    form.push_back(byte);
  expect_form(ItemType::float32, windows, raw, 3, form);
}

TEST(PredictionTest, EveryBitPatternComesBack) {
  // Goal: whatever the numbers and windows are, all or nothing; nothing only where much is told by
  // itself.
  auto rng = testkit::seeded_rng();
  int folded_ones = 0;
  for (const ItemType type : kPredicted)
    for (int round = 0; round < 100; ++round) {
      const std::size_t count = 1 + testkit::any_size(rng, 3'000);
      Bytes raw = any_numbers(type, rng, count, 1 + static_cast<unsigned>(rng() % 40));
      raw.resize(raw.size() + rng() % 9, std::byte{7});
      std::vector<NumberWindow> windows = any_windows(type, rng, raw.size());
      // A part of them are what steps have led to.
      if (round % 2 == 0 && !windows.empty()) {
        Bytes codes(raw.size());
        for (std::size_t i = 0; i < count; ++i)
          if (rng() % 4 == 0) codes[i] = static_cast<std::byte>(2 + rng() % 200);
        raw = unfolded(type, windows, codes, raw.size());
      }
      Buffer folded;
      const auto literals = fold(type, windows, raw, folded);
      if (!literals) continue;
      ++folded_ones;
      ASSERT_LE(*literals * number_bytes(type), raw.size() / 8);
      ASSERT_EQ(folded.size(), folded_bytes(type, raw.size(), *literals));
      ASSERT_EQ(unfolded(type, windows, folded, raw.size()), raw);
    }
  EXPECT_GT(folded_ones, 40);
}

TEST(PredictionTest, WhatIsLeftIsWithinTheBoundAndFolds) {
  // Goal: the bound holds for each number, what is to stay stays, and what was made so is short.
  auto rng = testkit::seeded_rng();
  int predicted = 0;
  for (const ItemType type : kPredicted)
    for (int round = 0; round < 60; ++round) {
      const Lossy lossy{.type = type,
                        .mode = round % 2 == 0 ? Lossy::Mode::absolute : Lossy::Mode::snr,
                        .bound = round % 2 == 0
                                     ? std::ldexp(1 + 1e-3 * static_cast<double>(rng() % 1'000),
                                                  static_cast<int>(rng() % 60) - 50)
                                     : 5 + static_cast<double>(rng() % 100),
                        .predicted = true};
      SCOPED_TRACE(std::string(name_of(type)) + " " + to_string(lossy));
      const std::size_t count = testkit::any_size(rng, kLossyWindowBytes / number_bytes(type));
      const Bytes numbers =
          any_numbers(type, rng, count, 20 + static_cast<unsigned>(rng() % 1'000));
      Bytes left(numbers.size());
      std::vector<std::int64_t> scratch;
      const auto prediction = lose(lossy, numbers, left, scratch);
      const LossyFigures figures = measure_loss(type, numbers, left);
      if (lossy.mode == Lossy::Mode::absolute) {
        ASSERT_LE(figures.max_error, lossy.bound);
      } else if (std::isfinite(figures.squares)) {
        ASSERT_GE(figures.squares, figures.error_squares * std::pow(10, lossy.bound / 10));
      }
      const std::size_t bytes = number_bytes(type);
      for (std::size_t i = 0; i < count; ++i) {
        const ByteSpan was = ByteSpan(numbers).subspan(i * bytes, bytes);
        const ByteSpan is = ByteSpan(left).subspan(i * bytes, bytes);
        const std::uint32_t top = std::to_integer<std::uint32_t>(was[bytes - 1]) << 8 |
                                  std::to_integer<std::uint32_t>(was[bytes - 2]);
        const std::uint32_t exponent = bytes == 8 ? top >> 4 & 0x7FF : top >> 7 & 0xFF;
        const bool normal = exponent != 0 && exponent != (bytes == 8 ? 0x7FFU : 0xFFU);
        ASSERT_TRUE(normal || std::ranges::equal(was, is)) << i;
      }
      if (!prediction) continue;
      ++predicted;
      const std::vector<NumberWindow> windows{window_of(*prediction, count)};
      Buffer folded;
      ASSERT_TRUE(fold(type, windows, left, folded));
      ASSERT_EQ(unfolded(type, windows, folded, left.size()), left);
    }
  EXPECT_GT(predicted, 60);
}

TEST(PredictionTest, SmoothNumbersLeaveLittle) {
  // Goal: of a smooth curve most numbers are as predicted, to a bound far below its size.
  Words words;
  for (int i = 0; i < 16'384; ++i) words.push_back(word_of(ItemType::float32, std::sin(i / 100.0)));
  const Bytes numbers = word_bytes(ItemType::float32, words);
  Bytes left(numbers.size());
  std::vector<std::int64_t> scratch;
  const auto prediction = lose({.mode = Lossy::Mode::absolute, .bound = 1e-4, .predicted = true},
                               numbers, left, scratch);
  ASSERT_TRUE(prediction);
  Buffer folded;
  ASSERT_EQ(fold(ItemType::float32, {window_of(*prediction, words.size())}, left, folded), 0U);
  EXPECT_GT(std::ranges::count(std::span(folded).first(words.size()), std::byte{0}), 15'000);
}

TEST(PredictionTest, WhatDoesNotFitIsRefused) {
  // Goal: more or fewer words by themselves than said are an error, and no code does harm.
  const std::vector<NumberWindow> windows{{.numbers = 32, .predictor = 1, .step = 3}};
  Bytes folded(folded_bytes(ItemType::float32, 128, 1));
  testkit::expect_corrupt("by themselves", [&] {
    static_cast<void>(unfolded(ItemType::float32, windows, folded, 128));
  });
  folded[0] = folded[1] = std::byte{1};
  testkit::expect_corrupt("by themselves", [&] {
    static_cast<void>(unfolded(ItemType::float32, windows, folded, 128));
  });
  auto rng = testkit::seeded_rng();
  for (const ItemType type : kPredicted)
    for (int round = 0; round < 200; ++round) {
      const std::size_t raw_bytes = 100 + rng() % 5'000;
      std::vector<NumberWindow> any = any_windows(type, rng, raw_bytes);
      for (NumberWindow& window : any) {
        window.exponent = static_cast<std::int16_t>(static_cast<int>(rng() % 2'001) - 1'000);
        window.step = static_cast<std::uint16_t>(1 + rng() % 65'535);
      }
      Bytes codes(raw_bytes);
      for (std::byte& byte : codes)
        byte = static_cast<std::byte>(rng() % 4 == 0 || round % 2 == 0 ? rng() : 0);
      try {
        static_cast<void>(unfolded(type, any, codes, raw_bytes));
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::corrupt);
      }
    }
}

}  // namespace
}  // namespace adoc
