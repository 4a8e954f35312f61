#include "codec/measure.hpp"

#include <gtest/gtest.h>

#include "unit/codec/codec_fixture.hpp"

namespace adoc::test {
namespace {

TEST(MeasureRung, CountsWhatWouldBeStored) {
  // Goal: the ratio is that of the blocks' own streams, the shorter last block included.
  const Bytes data = make_data(Kind::text, 50'000, 1);
  const Rung rung{CodecId::zlib, 6};
  std::size_t stored = 0;
  for (const std::size_t begin : {std::size_t{0}, std::size_t{20'000}, std::size_t{40'000}}) {
    const auto rest = std::span(data).subspan(begin);
    const auto block = rest.first(std::min<std::size_t>(20'000, rest.size()));
    stored += compress_whole(rung, block).size();
  }
  const auto measured = measure_rung(rung, data, {20'000, 0});
  EXPECT_EQ(measured.rung, rung);
  EXPECT_DOUBLE_EQ(measured.ratio, 50'000.0 / static_cast<double>(stored));
  EXPECT_GT(measured.compress_bytes_per_second, 0);
  EXPECT_GT(measured.decompress_bytes_per_second, measured.compress_bytes_per_second);
}

TEST(MeasureRung, GivesEachBlockItsPrefix) {
  // Goal: what repeats an earlier block is counted as it is stored with a prefix, not without.
  const Bytes once = make_data(Kind::random, 300'000, 1);
  Bytes data = once;
  data.insert(data.end(), once.begin(), once.end());
  const Rung rung{CodecId::zstd, 3};
  EXPECT_DOUBLE_EQ(measure_rung(rung, data, {300'000, 0}).ratio, 1.0);
  EXPECT_GT(measure_rung(rung, data, {300'000, 300'000}).ratio, 1.9);
}

TEST(MeasureRung, CountsBlocksThatGrowAsRaw) {
  // Goal: the ratio never falls below 1, as blocks that would grow travel raw.
  const Bytes data = make_data(Kind::random, 50'000, 1);
  for (const Rung rung : {Rung{CodecId::raw, 0}, Rung{CodecId::zlib, 1}, Rung{CodecId::lz4, 1},
                          Rung{CodecId::zstd, 1}}) {
    EXPECT_DOUBLE_EQ(measure_rung(rung, data, {20'000, 0}).ratio, 1.0) << to_string(rung);
  }
}

}  // namespace
}  // namespace adoc::test
