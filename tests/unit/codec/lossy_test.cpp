#include "codec/lossy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "codec/lossy/measure_loss.hpp"
#include "support/seed.hpp"

namespace adoc {
namespace {

using Mode = Lossy::Mode;

constexpr ItemType kTypes[] = {ItemType::int8,      ItemType::int16,     ItemType::int32,
                               ItemType::int64,     ItemType::uint8,     ItemType::uint16,
                               ItemType::uint32,    ItemType::uint64,    ItemType::float16,
                               ItemType::bfloat16,  ItemType::float32,   ItemType::float64,
                               ItemType::complex64, ItemType::complex128};

/// Numbers as they stand in memory, the last byte of a word first.
Bytes bytes_of(ItemType type, const std::vector<std::uint64_t>& words) {
  Bytes bytes;
  for (const std::uint64_t word : words)
    for (std::size_t i = 0; i < number_bytes(type); ++i)
      bytes.push_back(static_cast<std::byte>(word >> (8 * i)));
  return bytes;
}

std::vector<std::uint64_t> words_of(ItemType type, ByteSpan bytes) {
  std::vector<std::uint64_t> words(bytes.size() / number_bytes(type));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    words[i / number_bytes(type)] |= std::to_integer<std::uint64_t>(bytes[i])
                                     << (8 * (i % number_bytes(type)));
  return words;
}

std::vector<std::uint64_t> left(const Lossy& lossy, const std::vector<std::uint64_t>& words) {
  const Bytes numbers = bytes_of(lossy.type, words);
  Bytes made(numbers.size());
  std::vector<std::int64_t> scratch;
  lose(lossy, numbers, made, scratch);
  return words_of(lossy.type, made);
}

/// How a type is made, in words of its own: what the code under test has it from is not asked.
struct Form {
  int fraction = 0;  ///< bits; 0: an integer
  int exponent = 0;
  bool is_signed = true;

  static Form of(ItemType type) {
    switch (type) {
      case ItemType::float16:
        return {10, 5};
      case ItemType::bfloat16:
        return {7, 8};
      case ItemType::float32:
      case ItemType::complex64:
        return {23, 8};
      case ItemType::float64:
      case ItemType::complex128:
        return {52, 11};
      case ItemType::uint8:
      case ItemType::uint16:
      case ItemType::uint32:
      case ItemType::uint64:
        return {0, 0, false};
      default:
        return {};
    }
  }
};

struct Number {
  bool stays = false;  ///< zero, subnormal, infinite or NaN
  long double value = 0;
};

Number number_of(ItemType type, std::uint64_t word) {
  const Form form = Form::of(type);
  const int bits = static_cast<int>(number_bytes(type) * 8);
  if (form.fraction == 0) {
    if (!form.is_signed) return {word == 0, static_cast<long double>(word)};
    const auto value = static_cast<std::int64_t>(word << (64 - bits)) >> (64 - bits);
    return {word == 0, static_cast<long double>(value)};
  }
  const std::uint64_t top = (std::uint64_t{1} << form.exponent) - 1;
  const std::uint64_t exponent = word >> form.fraction & top;
  if (exponent == top) return {true, 0};
  const std::uint64_t fraction = word & ((std::uint64_t{1} << form.fraction) - 1);
  const bool is_normal = exponent != 0;
  const std::uint64_t digits = is_normal ? fraction | std::uint64_t{1} << form.fraction : fraction;
  const int scale = static_cast<int>(is_normal ? exponent : 1);
  const long double size = std::ldexp(static_cast<long double>(digits),
                                      scale - static_cast<int>(top / 2) - form.fraction);
  return {!is_normal, (word >> (bits - 1) & 1) != 0 ? -size : size};
}

/// Every kind of bit pattern: any, near powers of two, and what is special.
std::vector<std::uint64_t> patterns(ItemType type, testkit::Rng& rng, std::size_t count) {
  const unsigned bits = static_cast<unsigned>(number_bytes(type) * 8);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
  std::vector<std::uint64_t> words{0, 1, all, all - 1, all >> 1, (all >> 1) + 1, (all >> 1) - 1};
  const Form form = Form::of(type);
  if (form.fraction != 0) {
    const std::uint64_t sign = (all >> 1) + 1;
    const std::uint64_t least = std::uint64_t{1} << form.fraction;
    const std::uint64_t infinity = (sign - 1) & ~(least - 1);
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{1}, least - 1, least, least + 1, infinity - 1, infinity,
          infinity + 1, infinity + least / 2})
      words.insert(words.end(), {size, size | sign});
  }
  while (words.size() < count) {
    const std::uint64_t any = rng();
    words.push_back(any & all);
    words.push_back(((std::uint64_t{1} << any % bits) + testkit::up_to(rng, 2) - 1) & all);
    words.push_back(any & all & ~std::uint64_t{0} << rng() % bits);
  }
  return words;
}

TEST(LossyTest, GoldenCutBits) {
  // Worked out by hand: w = u >> k, u' = (w << k) | 1 << (k - 1), but for infinity, NaN, zeros and
  // subnormals, which the letter of that makes something else of.
  const auto cut = [](ItemType type, double bits, std::uint64_t word) {
    return left({type, Mode::bits, bits}, {word})[0];
  };
  EXPECT_EQ(cut(ItemType::float64, 28, 0x400921FB54442D18), 0x400921FB58000000U);
  EXPECT_EQ(cut(ItemType::float64, 28, 0xC00921FB54442D18), 0xC00921FB58000000U);
  EXPECT_EQ(cut(ItemType::float64, 52, 0x400921FB54442D18), 0x4008000000000000U);
  for (const std::uint64_t stays : std::initializer_list<std::uint64_t>{
           0x0000000000000000, 0x8000000000000000, 0x7FF0000000000000, 0xFFF0000000000000,
           0x7FF8000000000001, 0x7FF0000000000001, 0x0000000000000001, 0x000FFFFFFFFFFFFF})
    EXPECT_EQ(cut(ItemType::float64, 28, stays), stays);
  EXPECT_EQ(cut(ItemType::float32, 8, 0x3F800000), 0x3F800080U);
  EXPECT_EQ(cut(ItemType::complex64, 8, 0x3F8000FF), 0x3F800080U);
  EXPECT_EQ(cut(ItemType::float16, 4, 0x3C0F), 0x3C08U);
  EXPECT_EQ(cut(ItemType::bfloat16, 1, 0x3F80), 0x3F81U);
  EXPECT_EQ(cut(ItemType::int8, 4, 0x53), 0x58U);
  EXPECT_EQ(cut(ItemType::int8, 4, 0xFF), 0xF8U);
  EXPECT_EQ(cut(ItemType::uint64, 63, 1), 0x4000000000000000U);
  EXPECT_EQ(cut(ItemType::int32, 16, 0), 0U);
}

TEST(LossyTest, GoldenAbsolute) {
  // 0.25 allows steps of 0.5; ties go away from zero.
  const auto rounded = [](ItemType type, double error, std::uint64_t word) {
    return left({type, Mode::absolute, error}, {word})[0];
  };
  EXPECT_EQ(rounded(ItemType::float32, 0.25, 0x3FA66666), 0x3FC00000U);  // 1.3: 1.5
  EXPECT_EQ(rounded(ItemType::float32, 0.3, 0x3FA66666), 0x3FC00000U);
  EXPECT_EQ(rounded(ItemType::float32, 0.25, 0x3E4CCCCD), 0U);           // 0.2: 0
  EXPECT_EQ(rounded(ItemType::float32, 0.25, 0xBE4CCCCD), 0U);           // -0.2: 0
  EXPECT_EQ(rounded(ItemType::float32, 0.25, 0x3E800000), 0x3F000000U);  // 0.25: 0.5
  EXPECT_EQ(rounded(ItemType::float32, 0.25, 0x40700000), 0x40800000U);  // 3.75: 4
  EXPECT_EQ(rounded(ItemType::float32, 0.25, 0xC0700000), 0xC0800000U);  // -3.75: -4
  EXPECT_EQ(rounded(ItemType::float32, 0.25, 0x4E6E6B28), 0x4E6E6B28U);  // 1e9 has no halves
  EXPECT_EQ(rounded(ItemType::float32, 1e38, 0x7F7FFFFF), 0x7F7FFFFFU);  // not infinite
  EXPECT_EQ(rounded(ItemType::float64, 0.25, 0x3FF4CCCCCCCCCCCD), 0x3FF8000000000000U);
  EXPECT_EQ(rounded(ItemType::float16, 0.25, 0x3E66), 0x3E00U);   // 1.6: 1.5
  EXPECT_EQ(rounded(ItemType::bfloat16, 0.25, 0x3FA6), 0x3FC0U);  // 1.296875: 1.5
  const auto of_int16 = [&](int number) {
    const auto word = static_cast<std::uint16_t>(number);
    return static_cast<std::int16_t>(rounded(ItemType::int16, 4, word));
  };
  EXPECT_EQ(of_int16(11), 8);
  EXPECT_EQ(of_int16(12), 16);
  EXPECT_EQ(of_int16(-12), -16);
  EXPECT_EQ(of_int16(3), 0);
  EXPECT_EQ(of_int16(32'767), 32'767);
  EXPECT_EQ(of_int16(-32'767), -32'768);
  EXPECT_EQ(rounded(ItemType::uint8, 4, 255), 255U);
  EXPECT_EQ(rounded(ItemType::uint8, 0.9, 255), 255U);
  EXPECT_EQ(rounded(ItemType::uint8, 1e9, 255), 0U);
}

TEST(LossyTest, GoldenRelative) {
  // 0.01 is more than 2^-7: six bits of the fraction stay.
  const auto rounded = [](ItemType type, double error, std::uint64_t word) {
    return left({type, Mode::relative, error}, {word})[0];
  };
  EXPECT_EQ(rounded(ItemType::float32, 0.01, 0x3FA66666), 0x3FA60000U);  // 1.3: 83/64
  EXPECT_EQ(rounded(ItemType::float32, 0.01, 0x7F7FFFFF), 0x7F7FFFFFU);
  EXPECT_EQ(rounded(ItemType::float32, 0.01, 0x3FFFFFFF), 0x40000000U);
  EXPECT_EQ(rounded(ItemType::float32, 1e-9, 0x3FA66666), 0x3FA66666U);
  EXPECT_EQ(rounded(ItemType::int32, 0.1, 1'000), 1'024U);
  EXPECT_EQ(rounded(ItemType::int32, 0.1, 0xFFFFFC18), 0xFFFFFC00U);
  EXPECT_EQ(rounded(ItemType::int32, 0.1, 7), 7U);
  EXPECT_EQ(rounded(ItemType::int32, 0.9, 3), 4U);
}

class LossyPropertyTest : public testing::TestWithParam<ItemType> {
 protected:
  void expect_within(const Lossy& lossy, const std::vector<std::uint64_t>& words,
                     long double absolute, long double relative) {
    SCOPED_TRACE(to_string(lossy));
    ASSERT_EQ(why_not(lossy), "");
    const std::vector<std::uint64_t> made = left(lossy, words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Number was = number_of(lossy.type, words[i]);
      if (was.stays) {
        ASSERT_EQ(made[i], words[i]);
        continue;
      }
      const Number is = number_of(lossy.type, made[i]);
      ASSERT_TRUE(!is.stays || made[i] == 0) << std::hex << words[i] << " " << made[i];
      ASSERT_LE(std::abs(is.value - was.value), absolute + relative * std::abs(was.value))
          << std::hex << words[i] << " " << made[i];
    }
    // What was lost once is not lost again.
    EXPECT_EQ(left(lossy, made), made);
  }

  testkit::Rng rng_ = testkit::seeded_rng();
};

INSTANTIATE_TEST_SUITE_P(EachType, LossyPropertyTest, testing::ValuesIn(kTypes),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST_P(LossyPropertyTest, NoNumberIsOffByMoreThanIsSaid) {
  // Goal: every kind of bit pattern, bounds over all orders of magnitude, the bound asked of
  // independent arithmetic; what is to stay stays, and nothing becomes infinite, NaN or subnormal.
  const ItemType type = GetParam();
  const std::vector<std::uint64_t> words = patterns(type, rng_, 3'000);
  const Form form = Form::of(type);
  const int bits = static_cast<int>(number_bytes(type) * 8);
  const int reach = form.fraction == 0 ? bits : (1 << (form.exponent - 1)) + form.fraction;
  for (int round = 0; round < 60; ++round) {
    const double part = 1 + static_cast<double>(testkit::up_to(rng_, 999)) / 1'000;
    const auto power = static_cast<int>(testkit::up_to(rng_, static_cast<unsigned>(2 * reach)));
    const double absolute = std::ldexp(part, std::min(1'020, power - reach));
    if (absolute > 0) expect_within({type, Mode::absolute, absolute}, words, absolute, 0);
    const double relative = std::ldexp(part, -1 - static_cast<int>(testkit::up_to(rng_, 60)));
    if (relative < 1) expect_within({type, Mode::relative, relative}, words, 0, relative);
  }
}

TEST_P(LossyPropertyTest, OnlyTheBitsThatAreSaidAreCut) {
  const ItemType type = GetParam();
  const std::vector<std::uint64_t> words = patterns(type, rng_, 3'000);
  for (double bits = 1; why_not({type, Mode::bits, bits}).empty(); ++bits) {
    const Lossy lossy{type, Mode::bits, bits};
    const std::uint64_t middle = std::uint64_t{1} << (static_cast<unsigned>(bits) - 1);
    const std::uint64_t low = 2 * middle - 1;
    const std::vector<std::uint64_t> made = left(lossy, words);
    for (std::size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(made[i], number_of(type, words[i]).stays ? words[i] : (words[i] & ~low) | middle)
          << bits;
  }
  EXPECT_NE(why_not({type, Mode::bits, 99}), "");
}

TEST_P(LossyPropertyTest, TheSnrIsAtLeastWhatIsSaid) {
  // Goal: of whole windows and short ones, of numbers of any size among each other.
  const ItemType type = GetParam();
  for (int round = 0; round < 20; ++round) {
    const std::size_t count =
        1 + testkit::up_to(rng_, round < 10 ? 300 : kLossyWindowBytes / number_bytes(type) - 1);
    std::vector<std::uint64_t> words = patterns(type, rng_, count);
    // Squares of the largest do not fit, and then nothing is lost.
    const bool some = round % 2 == 0;
    if (some && Form::of(type).exponent > 5)
      std::erase_if(
          words, [&](std::uint64_t word) { return std::abs(number_of(type, word).value) > 1e15L; });
    const double db = 1 + static_cast<double>(testkit::up_to(rng_, 100));
    const Bytes numbers = bytes_of(type, words);
    Bytes made(numbers.size());
    std::vector<std::int64_t> scratch;
    lose({type, Mode::snr, db}, numbers, made, scratch);
    const std::vector<std::uint64_t> after = words_of(type, made);
    long double squares = 0, errors = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Number was = number_of(type, words[i]);
      if (was.stays) {
        ASSERT_EQ(after[i], words[i]);
      }
      const long double error = number_of(type, after[i]).value - was.value;
      squares += was.value * was.value;
      errors += error * error;
    }
    ASSERT_LE(errors, squares * std::pow(10.0L, -static_cast<long double>(db) / 10) * 1.0000001L);
  }
}

TEST_P(LossyPropertyTest, WhatWasLostIsMeasured) {
  // Goal: by independent arithmetic, of numbers whose squares fit.
  const ItemType type = GetParam();
  std::vector<std::uint64_t> words = patterns(type, rng_, 1'001);
  std::erase_if(words,
                [&](std::uint64_t word) { return std::abs(number_of(type, word).value) > 1e100L; });
  const Lossy lossy{type, Mode::absolute, 3};
  const std::vector<std::uint64_t> made = left(lossy, words);
  long double squares = 0, errors = 0, most = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Number was = number_of(type, words[i]);
    if (was.stays) continue;
    const long double error = std::abs(number_of(type, made[i]).value - was.value);
    squares += was.value * was.value;
    errors += error * error;
    most = std::max(most, error);
  }
  const LossyFigures figures = measure_loss(type, bytes_of(type, words), bytes_of(type, made));
  EXPECT_EQ(figures.numbers, words.size());
  EXPECT_EQ(figures.max_error, static_cast<double>(most));
  EXPECT_NEAR(figures.error_squares, static_cast<double>(errors),
              1e-9 * static_cast<double>(errors));
  EXPECT_NEAR(figures.squares, static_cast<double>(squares), 1e-9 * static_cast<double>(squares));
}

TEST(LossyTest, FiguresThatSquaresSay) {
  // 3 and 4 that have become 3 and 2: 20 dB are a hundred times.
  LossyFigures figures{.numbers = 2, .max_error = 2, .error_squares = 4, .squares = 25};
  EXPECT_DOUBLE_EQ(figures.rms_error(), std::sqrt(2.0));
  figures.squares = 400;
  EXPECT_DOUBLE_EQ(figures.snr_db(), 20);
  figures.error_squares = 0;
  EXPECT_EQ(figures.snr_db(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(LossyFigures().rms_error(), 0);
}

TEST(LossyTest, WhatIsNotPossibleIsSaid) {
  const auto none = [](Mode mode, double bound) {
    return why_not({ItemType::float32, mode, bound});
  };
  EXPECT_EQ(none(Mode::bits, 24), ": of float32 1 to 23 bits can be cut");
  EXPECT_NE(none(Mode::bits, 0), "");
  EXPECT_NE(none(Mode::bits, 1.5), "");
  EXPECT_EQ(none(Mode::bits, 23), "");
  for (const double bound : {0.0, -1.0, static_cast<double>(INFINITY), static_cast<double>(NAN)})
    for (const Mode mode : {Mode::bits, Mode::absolute, Mode::relative, Mode::snr})
      EXPECT_NE(none(mode, bound), "") << bound;
  EXPECT_NE(none(Mode::relative, 1), "");
  EXPECT_EQ(none(Mode::relative, 0.99), "");
  EXPECT_EQ(to_string({ItemType::float64, Mode::absolute, 0.001}), "abs:0.001");
  EXPECT_EQ(to_string({ItemType::float64, Mode::bits, 12}), "lsb:12");
}

}  // namespace
}  // namespace adoc
