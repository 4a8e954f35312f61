#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "bench/papers/seismic/archive.hpp"
#include "bench/papers/seismic/huffman.hpp"
#include "bench/papers/seismic/lifting.hpp"
#include "bench/papers/seismic/segy.hpp"
#include "bench/papers/seismic/shot.hpp"
#include "bench/papers/selective/topology.hpp"

namespace papers {
namespace {

using Values = std::vector<double>;
using Bytes = std::vector<std::byte>;

Values lifted(Values values, int levels) {
  lift_forward(values, levels);
  return values;
}

Values back(Values values, int levels) {
  lift_inverse(values, levels);
  return values;
}

TEST(Lifting, IsThePapersSums) {
  // Goal: worked out by hand. d0 = 4 - (2+6)/2 = 0, d1 = 10 - (6+6)/2 = 4 (mirrored);
  // s0 = 2 + (0+0)/4 = 2 (mirrored), s1 = 6 + (0+4)/4 = 7.
  EXPECT_EQ(lifted({2, 4, 6, 10}, 1), (Values{2, 7, 0, 4}));
  // d0 = 5 - (1+3)/2 = 3, d1 = -1 - (3+9)/2 = -7; s0 = 1 + (3+3)/4 = 2.5,
  // s1 = 3 + (3-7)/4 = 2, s2 = 9 + (-7-7)/4 = 5.5.
  EXPECT_EQ(lifted({1, 5, 3, -1, 9}, 1), (Values{2.5, 2, 5.5, 3, -7}));
  // The second level on 2, 7: d = 7 - 2 = 5, s = 2 + 10/4 = 4.5.
  EXPECT_EQ(lifted({2, 4, 6, 10}, 2), (Values{4.5, 5, 0, 4}));
  EXPECT_EQ(lifted({3}, 4), Values{3});
  EXPECT_EQ(lifted({}, 4), Values{});
  // A straight line has no details but where it ends.
  EXPECT_EQ(lifted({0, 1, 2, 3, 4, 5, 6}, 1), (Values{0, 2, 4, 6, 0, 0, 0}));
}

TEST(Lifting, GivesBackIntegersBitForBit) {
  // Goal: no sum is rounded, so the inverse is exact: any length, any number of levels.
  Dice dice(17);
  for (std::size_t size = 0; size < 70; ++size) {
    for (const int levels : {0, 1, 4, 7}) {
      Values values;
      for (std::size_t i = 0; i < size; ++i) values.push_back(dice.below(1 << 24) - (1 << 23));
      EXPECT_EQ(back(lifted(values, levels), levels), values) << size << ", " << levels;
    }
  }
}

TEST(Lifting, IsOffByRoundingAloneForFloats) {
  // Goal: values of any size come back to within some units in the last place of the largest.
  Dice dice(18);
  Values values;
  for (int i = 0; i < 999; ++i) {
    values.push_back(std::ldexp(dice.below(1 << 30) - (1 << 29), dice.below(40) - 20));
  }
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  const Values again = back(lifted(values, 6), 6);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(again[i], values[i], most * 64 * std::numeric_limits<double>::epsilon());
  }
}

TEST(Quantiser, IsThePapersStep) {
  // Goal: step = max / (2^(q-1) - 1), indices rounded to even, worked out by hand.
  const Quantised made = quantise(Values{14, -7, 5, 1, 3, 0}, 4);
  EXPECT_EQ(made.step, 2);
  EXPECT_EQ(made.indices, (std::vector<std::int16_t>{7, -4, 2, 0, 2, 0}));
  EXPECT_EQ(dequantise(made.indices, made.step), (Values{14, -8, 4, 0, 4, 0}));
  const Quantised zeros = quantise(Values{0, -0.0}, 12);
  EXPECT_EQ(zeros.step, 0);
  EXPECT_EQ(dequantise(zeros.indices, zeros.step), (Values{0, 0}));
}

TEST(Quantiser, ErrsByHalfAStepAndFitsItsBits) {
  // Goal: every value within half a step, every index within q bits; values that are none refused.
  Dice dice(19);
  Values values;
  for (int i = 0; i < 500; ++i) values.push_back(std::ldexp(dice.below(2001) - 1000, -7));
  for (int bits = 2; bits <= 12; ++bits) {
    const Quantised made = quantise(values, bits);
    const Values again = dequantise(made.indices, made.step);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_LE(std::abs(again[i] - values[i]), made.step / 2 * (1 + 1e-12));
      EXPECT_LT(std::abs(made.indices[i]), 1 << (bits - 1));
    }
  }
  EXPECT_THROW((void)quantise(values, 1), std::invalid_argument);
  EXPECT_THROW((void)quantise(values, 13), std::invalid_argument);
  EXPECT_THROW((void)quantise(Values{std::nan("")}, 12), std::invalid_argument);
  EXPECT_THROW((void)quantise(Values{HUGE_VAL}, 12), std::invalid_argument);
  const Values least = {std::numeric_limits<double>::denorm_min(), 0};
  EXPECT_EQ(dequantise(quantise(least, 12).indices, 0), (Values{0, 0}));
}

TEST(Noise, IsInDecibels) {
  // Goal: 10 log10 of 100 to 1 is 20.
  EXPECT_DOUBLE_EQ(signal_to_noise(Values{10, 0}, Values{10, 1}), 20);
  EXPECT_TRUE(std::isinf(signal_to_noise(Values{1}, Values{1})));
}

TEST(Huffman, IsCanonical) {
  // Goal: worked out by hand: 5, 2, 1, 1 times gives 1, 2, 3, 3 bits; ties in the order of symbols.
  const std::vector<std::int16_t> data = {7, 7, 7, 7, 7, -1, -1, 3, 9};
  const HuffmanCode code = HuffmanCode::of(data);
  ASSERT_EQ(code.symbols(), 4U);
  const auto& entries = code.entries();
  EXPECT_EQ(entries[0].symbol, 7);
  EXPECT_EQ(entries[0].code, 0b0U);
  EXPECT_EQ(entries[1].symbol, -1);
  EXPECT_EQ(entries[1].code, 0b10U);
  EXPECT_EQ(entries[2].symbol, 3);
  EXPECT_EQ(entries[2].code, 0b110U);
  EXPECT_EQ(entries[3].symbol, 9);
  EXPECT_EQ(entries[3].code, 0b111U);
  // 00000 10 1|0 110 111 0
  EXPECT_EQ(code.encode(data), (Bytes{std::byte{0b00000101}, std::byte{0b01101110}}));
}

TEST(Huffman, GivesBackWhatItCodedWithTheBestLength) {
  // Goal: any number of symbols up to 4,096, evenly or unevenly often, long codes too; within the
  // entropy and one bit more.
  Dice dice(20);
  for (const int symbols : {1, 2, 3, 255, 1235, 4096}) {
    for (const int skew : {0, 40}) {
      std::vector<std::int16_t> data;
      for (int i = 0; i < symbols; ++i) data.push_back(static_cast<std::int16_t>(i - symbols / 2));
      for (int i = 0; i < 6000; ++i) {
        int pick = dice.below(symbols);
        for (int k = 0; k < skew / 10; ++k) pick = std::min(pick, dice.below(symbols));
        data.push_back(static_cast<std::int16_t>(pick - symbols / 2));
      }
      const HuffmanCode code = HuffmanCode::of(data);
      const Bytes coded = code.encode(data);
      const HuffmanCode again = HuffmanCode::from_dictionary(code.dictionary());
      std::vector<std::int16_t> decoded(data.size());
      again.decode(coded, decoded);
      EXPECT_EQ(decoded, data);
      std::vector<double> counts(4096);
      for (const auto one : data) ++counts[static_cast<std::size_t>(one + symbols / 2)];
      double entropy = 0;
      for (const double count : counts) {
        if (count > 0) entropy -= count * std::log2(count / static_cast<double>(data.size()));
      }
      EXPECT_GE(static_cast<double>(coded.size()) * 8, entropy);
      EXPECT_LE(static_cast<double>(coded.size()) * 8 - 8,
                entropy + static_cast<double>(data.size()));
    }
  }
}

TEST(Huffman, HasLongCodesForFibonacciCounts) {
  // Goal: codes longer than the table of short ones: counts 1, 1, 2, 3, 5 ... give one bit more
  // each.
  std::vector<std::int16_t> data;
  std::size_t count = 1;
  std::size_t before = 0;
  for (std::int16_t symbol = 0; symbol < 22; ++symbol) {
    data.insert(data.end(), count, symbol);
    before = std::exchange(count, count + before);
  }
  const HuffmanCode code = HuffmanCode::of(data);
  EXPECT_EQ(code.entries().front().bits, 1);
  EXPECT_EQ(code.entries().back().bits, 21);
  std::vector<std::int16_t> decoded(data.size());
  code.decode(code.encode(data), decoded);
  EXPECT_EQ(decoded, data);
}

TEST(Huffman, RefusesWhatIsNoDictionaryOrNoSection) {
  // Goal: counts, lengths, order, gaps and ends are checked.
  std::vector<std::int16_t> many(4097);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int16_t>(i);
  EXPECT_THROW((void)HuffmanCode::of(many), std::invalid_argument);
  EXPECT_THROW((void)HuffmanCode::of({}), std::invalid_argument);
  const std::vector<std::int16_t> data = {1, 1, 2, 3};
  const HuffmanCode code = HuffmanCode::of(data);
  const Bytes good = code.dictionary();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW((void)HuffmanCode::from_dictionary(std::span(good).first(size)),
                 std::runtime_error);
  }
  int refused = 0;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    try {
      (void)HuffmanCode::from_dictionary(bad);
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
  EXPECT_THROW((void)code.encode(std::vector<std::int16_t>{4}), std::invalid_argument);
  const Bytes section = code.encode(data);
  std::vector<std::int16_t> more(9);
  EXPECT_THROW(code.decode(section, more), std::runtime_error);
  Bytes longer = section;
  longer.push_back(std::byte{0});
  std::vector<std::int16_t> same(data.size());
  EXPECT_THROW(code.decode(longer, same), std::runtime_error);
}

TEST(Schedule, IsFigureFour) {
  // Goal: worked out by hand: sent at 1 + 2 = 3, 5 and 6; decoded until 13, 9 and 10.
  EXPECT_EQ(schedule_seconds(1, Values{2, 2, 1}, Values{10, 4, 4}), 13);
  EXPECT_EQ(schedule_seconds(1, Values{2, 2, 1}, Values{1, 1, 4}), 10);
  EXPECT_EQ(schedule_seconds(3, {}, {}), 3);
}

TEST(Ibm, IsTheKnownPatterns) {
  // Goal: -118.625 is the example of the format's descriptions; others worked out by hand.
  EXPECT_EQ(ibm_to_double(0xc276a000), -118.625);
  EXPECT_EQ(ibm_to_double(0x41100000), 1);
  EXPECT_EQ(ibm_to_double(0x40800000), 0.5);
  EXPECT_EQ(ibm_to_double(0x00000000), 0);
  EXPECT_EQ(ibm_to_double(0x46000001), 1.0);  // not normalised
  EXPECT_EQ(double_to_ibm(-118.625), 0xc276a000U);
  EXPECT_EQ(double_to_ibm(1), 0x41100000U);
  EXPECT_EQ(double_to_ibm(0.0625), 0x40100000U);
  EXPECT_EQ(double_to_ibm(16777215.75), 0x47100000U);  // rounds up into the next exponent
  EXPECT_EQ(double_to_ibm(1e300), 0x7fffffffU);
  EXPECT_EQ(double_to_ibm(-1e-300), 0x80000000U);
  EXPECT_EQ(double_to_ibm(0), 0U);
}

TEST(Ibm, EveryNormalisedPatternComesBack) {
  // Goal: exact both ways.
  Dice dice(21);
  for (int i = 0; i < 20'000; ++i) {
    auto bits = static_cast<std::uint32_t>(dice.next());
    if ((bits & 0x00f00000) == 0) bits |= 0x00100000;
    EXPECT_EQ(double_to_ibm(ibm_to_double(bits)), bits);
  }
}

struct FileShape {
  bool big_endian = true;
  Segy::Format format = Segy::Format::ieee;
  bool revision_1 = true;
  std::uint32_t extended = 0;
  int shots = 2;
};

void put(Bytes& file, std::size_t at, std::size_t size, std::uint32_t value, bool big_endian) {
  for (std::size_t i = 0; i < size; ++i) {
    file[at + (big_endian ? size - 1 - i : i)] = static_cast<std::byte>(value >> (8 * i));
  }
}

// Headers of random bytes but for the fields that say something; traces of different lengths.
Bytes make_file(const FileShape& shape, std::uint64_t seed) {
  Dice dice(seed);
  const auto noise = [&](Bytes& file, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) file.push_back(static_cast<std::byte>(dice.next()));
  };
  const bool big = shape.big_endian;
  Bytes file;
  noise(file, Segy::kFirstHeaders);
  put(file, 3220, 2, 20, big);
  put(file, 3224, 2, static_cast<std::uint32_t>(shape.format), big);
  put(file, 3296, 4, 0, big);
  put(file, 3500, 2, shape.revision_1 ? 0x100 : 0, big);
  put(file, 3502, 2, 0, big);
  put(file, 3504, 2, shape.extended, big);
  if (shape.revision_1) noise(file, shape.extended * 3200);
  for (int trace = 0; trace < 3 * shape.shots; ++trace) {
    const std::size_t at = file.size();
    noise(file, Segy::kTraceHeader);
    put(file, at + 8, 4, static_cast<std::uint32_t>(trace / 3 + 1), big);
    const std::size_t samples = 18 + static_cast<std::size_t>(trace);
    put(file, at + 114, 2, static_cast<std::uint32_t>(samples), big);
    Segy segy;
    segy.big_endian = big;
    segy.format = shape.format;
    Values values;
    for (std::size_t i = 0; i < samples; ++i) values.push_back(dice.below(201) - 100);
    file.resize(file.size() + samples * segy.sample_bytes());
    put_samples(file, segy, {at, samples, 0}, values);
  }
  return file;
}

std::vector<FileShape> every_shape() {
  std::vector<FileShape> shapes;
  for (const bool big : {true, false}) {
    for (const auto format : {Segy::Format::ibm, Segy::Format::int32, Segy::Format::int16,
                              Segy::Format::ieee, Segy::Format::int8}) {
      shapes.push_back({big, format, true, 0, 2});
      shapes.push_back({big, format, true, 2, 1});
      shapes.push_back({big, format, false, 7, 3});
    }
  }
  return shapes;
}

TEST(SegyFile, IsReadInEachFormatAndOrder) {
  // Goal: traces, lengths and shots are found, and samples are put where they were.
  for (const FileShape& shape : every_shape()) {
    const Bytes file = make_file(shape, 22);
    const Segy segy = read_segy(file);
    EXPECT_EQ(segy.big_endian, shape.big_endian);
    EXPECT_EQ(segy.format, shape.format);
    EXPECT_EQ(segy.traces_at, 3600 + (shape.revision_1 ? shape.extended * 3200 : 0));
    EXPECT_EQ(segy.traces.size(), 3U * static_cast<unsigned>(shape.shots));
    EXPECT_EQ(shots_of(segy).size(), static_cast<std::size_t>(shape.shots));
    Bytes again(file.size());
    for (const auto& trace : segy.traces) {
      put_samples(again, segy, trace, samples_of(file, segy, trace));
      EXPECT_TRUE(std::ranges::equal(
          std::span(again).subspan(trace.header_at + 240, trace.samples * segy.sample_bytes()),
          std::span(file).subspan(trace.header_at + 240, trace.samples * segy.sample_bytes())));
    }
  }
}

TEST(SegyFile, KnownBytesAreKnownSamples) {
  // Goal: one sample in each format and order, worked out by hand.
  const auto sample = [](Segy::Format format, bool big, std::vector<int> bytes) {
    Segy segy;
    segy.format = format;
    segy.big_endian = big;
    Bytes file(240);
    for (const int byte : bytes) file.push_back(static_cast<std::byte>(byte));
    return samples_of(file, segy, {0, 1, 0}).front();
  };
  EXPECT_EQ(sample(Segy::Format::ibm, true, {0xc2, 0x76, 0xa0, 0x00}), -118.625);
  EXPECT_EQ(sample(Segy::Format::ibm, false, {0x00, 0xa0, 0x76, 0xc2}), -118.625);
  EXPECT_EQ(sample(Segy::Format::ieee, true, {0xc2, 0xed, 0x40, 0x00}), -118.625);
  EXPECT_EQ(sample(Segy::Format::ieee, false, {0x00, 0x40, 0xed, 0xc2}), -118.625);
  EXPECT_EQ(sample(Segy::Format::int32, true, {0xff, 0xff, 0xff, 0xfe}), -2);
  EXPECT_EQ(sample(Segy::Format::int16, false, {0x00, 0x80}), -32768);
  EXPECT_EQ(sample(Segy::Format::int8, true, {0x80}), -128);
}

TEST(SegyFile, CutOrHostileHeadersAreErrors) {
  // Goal: every cut but those between traces is told, and no header makes a file be read past.
  const FileShape shape;
  const Bytes file = make_file(shape, 23);
  const Segy whole = read_segy(file);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const bool between = size == 3600 || std::ranges::any_of(whole.traces, [&](const auto& trace) {
                           return trace.header_at == size;
                         });
    if (between) continue;
    EXPECT_THROW((void)read_segy(std::span(file).first(size)), std::runtime_error) << size;
  }
  const auto with = [&](std::size_t at, std::size_t size, std::uint32_t value) {
    Bytes bad = file;
    put(bad, at, size, value, true);
    return bad;
  };
  EXPECT_THROW((void)read_segy(with(3224, 2, 4)), std::runtime_error);
  EXPECT_THROW((void)read_segy(with(3224, 2, 0)), std::runtime_error);
  EXPECT_THROW((void)read_segy(with(3504, 2, 0xffff)), std::runtime_error);
  EXPECT_THROW((void)read_segy(with(3504, 2, 0x7fff)), std::runtime_error);
  EXPECT_THROW((void)read_segy(with(3600 + 114, 2, 0xffff)), std::runtime_error);
}

TEST(Archive, HasEveryHeaderBitForBitAndSamplesAsTheQuantiserHasThem) {
  // Goal: each format, order and number of sections; headers exact, 12 bits near.
  for (const FileShape& shape : every_shape()) {
    const Bytes file = make_file(shape, 24);
    const Bytes again = unpack_segy(pack_segy(file, {.bits = 12, .levels = 3, .sections = 2}));
    ASSERT_EQ(again.size(), file.size());
    const Segy segy = read_segy(file);
    EXPECT_TRUE(headers_of(again, read_segy(again)) == headers_of(file, segy));
    for (const auto& trace : segy.traces) {
      const Values before = samples_of(file, segy, trace);
      const Values after = samples_of(again, segy, trace);
      for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1);
    }
  }
}

TEST(Archive, IsExactWhereTheStepIsOne) {
  // Goal: without transform, integers up to 2047 are their own indices.
  const FileShape shape{.format = Segy::Format::int16};
  Bytes file = make_file(shape, 25);
  const Segy segy = read_segy(file);
  for (const auto& trace : segy.traces) {
    Values values = samples_of(file, segy, trace);
    values[0] = 2047;
    put_samples(file, segy, trace, values);
  }
  EXPECT_TRUE(unpack_segy(pack_segy(file, {.bits = 12, .levels = 0, .sections = 3})) == file);
}

TEST(Archive, CutOrChangedIsAnErrorOrAnotherFileButNeverMore) {
  // Goal: every cut is told; a flipped bit is told or changes samples alone.
  const Bytes file = make_file({.shots = 1}, 26);
  const Bytes archive = pack_segy(file, {.bits = 6, .levels = 2, .sections = 2});
  for (std::size_t size = 0; size < archive.size(); size += 7) {
    EXPECT_ANY_THROW((void)unpack_segy(std::span(archive).first(size)));
  }
  Dice dice(27);
  for (int i = 0; i < 300; ++i) {
    Bytes bad = archive;
    bad[static_cast<std::size_t>(dice.below(static_cast<int>(bad.size())))] ^=
        static_cast<std::byte>(1U << dice.below(8));
    try {
      (void)unpack_segy(bad);
    } catch (const std::runtime_error&) {
      // adoc::Error is one.
    }
  }
  EXPECT_TRUE(unpack_segy(pack_segy(make_file({.shots = 0}, 28), {})) ==
              make_file({.shots = 0}, 28));
}

TEST(Shots, AreTheSameWithAnyNumberOfSections) {
  // Goal: sections divide the work, not the result; too few traces make fewer sections.
  Dice dice(29);
  Traces traces(5);
  std::vector<std::size_t> lengths;
  for (Values& trace : traces) {
    for (int i = 0; i < 40; ++i) trace.push_back(std::ldexp(dice.below(1 << 20), -10));
    lengths.push_back(trace.size());
  }
  const ShotSetup one{.bits = 9, .levels = 4, .sections = 1};
  const Traces expected = decode_shot(encode_shot(traces, one), lengths);
  for (int sections = 2; sections < 8; ++sections) {
    const CodedShot coded = encode_shot(traces, {.bits = 9, .levels = 4, .sections = sections});
    EXPECT_EQ(coded.sections.size(), std::min(5U, static_cast<unsigned>(sections)));
    EXPECT_EQ(decode_shot(coded, lengths), expected);
  }
  lengths[2] = 41;
  EXPECT_THROW((void)decode_shot(encode_shot(traces, one), lengths), std::runtime_error);
}

TEST(Shots, OfSectionsThatThereCannotBeAreErrors) {
  // Goal: numbers of traces whose sum only looks right, sections without any, and a step that makes
  // numbers which are none.
  const Traces traces(4, std::vector<double>{1, -2, 3, -4, 5, -6, 7, -8});
  const std::vector<std::size_t> lengths(4, 8);
  const CodedShot good = encode_shot(traces, {.bits = 9, .levels = 2, .sections = 2});
  EXPECT_EQ(decode_shot(good, lengths).size(), 4U);
  CodedShot wraps = good;
  wraps.sections[0].traces = std::numeric_limits<std::size_t>::max();
  wraps.sections[1].traces = 5;
  EXPECT_THROW((void)decode_shot(wraps, lengths), std::runtime_error);
  CodedShot none = good;
  none.sections.push_back({});
  EXPECT_THROW((void)decode_shot(none, lengths), std::runtime_error);
  CodedShot large = good;
  large.step = std::numeric_limits<double>::max();
  EXPECT_THROW((void)decode_shot(large, lengths), std::runtime_error);
}

}  // namespace
}  // namespace papers
