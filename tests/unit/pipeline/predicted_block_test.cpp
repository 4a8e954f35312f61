#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "codec/lossy.hpp"
#include "codec/predicted_form.hpp"
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
using testkit::packet_frame;
using testkit::received;
using testkit::ScriptedPolicy;

/// A smooth curve with some that stay what they are, as predictions are made for it, in windows of
/// which one is short; in front, between and behind them are other bytes.
struct Curve {
  PredictedNumbers numbers{};
  Bytes bytes{};

  explicit Curve(std::size_t windows) {
    const Lossy lossy{.mode = Lossy::Mode::absolute, .bound = 1e-3, .predicted = true};
    std::vector<std::int64_t> scratch;
    for (std::size_t i = 0; i < windows; ++i) {
      Bytes window(i == 1 ? 4'000 : kLossyWindowBytes);
      for (std::size_t at = 0; at < window.size(); at += 4) {
        const auto place = static_cast<double>(at);
        const float number =
            at % 5'000 == 0 ? 1e30F : static_cast<float>(std::sin(place / 999) * 7);
        std::memcpy(window.data() + at, &number, 4);
      }
      Bytes left(window.size());
      const auto prediction = lose(lossy, window, left, scratch);
      numbers.windows.push_back(window_of(prediction.value(), left.size() / 4));
      numbers.windows.back().skipped = i % 3;
      bytes.resize(bytes.size() + i % 3, std::byte{7});
      bytes.insert(bytes.end(), left.begin(), left.end());
    }
    bytes.resize(bytes.size() + 5, std::byte{9});
  }
};

class PredictedBlockTest : public testing::Test {
 protected:
  [[nodiscard]] PredictedBlockHeader header() const {
    return {.block = {.raw_bytes = curve_.bytes.size(),
                      .codec = static_cast<std::uint8_t>(CodecId::zstd),
                      .checksum = xxh3_64(curve_.bytes)},
            .type = curve_.numbers.type,
            .literals = literals_,
            .windows = curve_.numbers.windows};
  }
  [[nodiscard]] static Bytes compressed(ByteSpan bytes) {
    const auto compressor = make_compressor(CodecId::zstd);
    compressor->begin(bytes, 1);
    Bytes packet(2 * bytes.size());
    packet.resize(compressor->next_packet(packet));
    return packet;
  }
  [[nodiscard]] static Bytes run(const PredictedBlockHeader& header, const Bytes& stored) {
    return joined(
        {encode_frame(header), packet_frame(stored), encode_frame(BlockEnd{stored.size()})});
  }
  static void refuses(std::string_view fragment, const Bytes& frames) {
    SCOPED_TRACE(fragment);
    for (const std::size_t threads : {1U, 4U})
      testkit::expect_corrupt(fragment, [&] { static_cast<void>(received(frames, threads)); });
  }

  Curve curve_{4};
  Buffer folded_;
  std::size_t literals_ =
      fold(curve_.numbers.type, curve_.numbers.windows, curve_.bytes, folded_).value();
};

TEST_F(PredictedBlockTest, ArrivesAsItWas) {
  EXPECT_GT(literals_, 0U);
  const Bytes stored = compressed(folded_);
  EXPECT_LT(stored.size(), curve_.bytes.size() / 20);
  for (const std::size_t threads : {1U, 3U})
    EXPECT_TRUE(received(run(header(), stored), threads) == curve_.bytes);
}

TEST_F(PredictedBlockTest, WhatItCannotBeIsRefused) {
  // Goal: what a header says and what comes are the same, or it is the peer's fault.
  const Bytes some = compressed(folded_);
  PredictedBlockHeader raw = header();
  raw.block.codec = static_cast<std::uint8_t>(CodecId::raw);
  refuses("is not compressed", run(raw, curve_.bytes));
  PredictedBlockHeader unknown = header();
  unknown.block.codec = 99;
  refuses("no codec 99", run(unknown, some));
  refuses("is cut", joined({encode_frame(header()), packet_frame(some),
                            encode_frame(Cut{.stored_bytes = some.size(), .raw_bytes = 100})}));
  PredictedBlockHeader more = header();
  ++more.literals;
  refuses("holds less", run(more, some));
  more = header();
  --more.literals;
  refuses("holds more", run(more, some));
  folded_.resize(folded_.size() - 4);
  refuses("told by themselves", run(more, compressed(folded_)));
  PredictedBlockHeader other = header();
  other.windows[0].step += 2;
  refuses("checksum", run(other, some));
}

/// Gives a curve in any pieces, with the windows that are whole in them.
class CurveSource : public BlockSource {
 public:
  explicit CurveSource(const Curve& curve) : curve_(curve) {}

  std::optional<RawBlock> next(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), curve_.bytes.size() - position_);
    if (count == 0) return std::nullopt;
    std::ranges::copy(ByteSpan(curve_.bytes).subspan(position_, count), into.begin());
    RawBlock block{0, position_, into.first(count),
                   first_windows(last_windows(curve_.numbers, position_), count)};
    position_ += count;
    return block;
  }

 private:
  const Curve& curve_;
  std::size_t position_ = 0;
};

TEST_F(CompressStageTest, NumbersArePredictedForAPeerThatTakesThem) {
  // Goal: in segments and blocks of any size, at every level but raw, and by any policy, whether or
  // not there are filters.
  const Curve curve(20);
  std::size_t unpredicted = 0;
  for (const auto& [predictions, filters] :
       {std::pair{false, false}, {true, false}, {true, true}}) {
    features_ = static_cast<std::uint64_t>(Feature::filters) |
                (predictions ? static_cast<std::uint64_t>(Feature::predictions) : 0);
    ScriptedPolicy policy({1, 12, 0, 20, 6}, {.block_bytes = 300'000});
    CurveSource source(curve);
    Fifo fifo(kRoomForAll);
    EXPECT_TRUE(stage({.ladder = "auto", .filters = filters}, source, policy, fifo).run());
    fifo.close();
    const Bytes sent = taken_from(fifo);
    EXPECT_TRUE(received(sent, 2) == curve.bytes);
    if (!predictions)
      unpredicted = sent.size();
    else
      EXPECT_LT(sent.size(), unpredicted * 3 / 4);
  }
  const auto decisions = observer_.decisions();
  EXPECT_EQ(decisions.front().filter, "none");
  EXPECT_TRUE(std::ranges::any_of(decisions, [](const Decision& decision) {
    return decision.filter == "predicted" && decision.codec == "zstd";
  }));
  EXPECT_TRUE(std::ranges::none_of(decisions, [](const Decision& decision) {
    return decision.codec == "raw" && decision.filter != "none";
  }));
}

TEST(PredictedNumbersTest, AreCutWhereTheirBlockIs) {
  // Goal: the windows in front of a place and behind it, with what is skipped; one across it is in
  // neither.
  PredictedNumbers numbers;
  for (const std::size_t count : {10U, 20U, 30U})
    numbers.windows.push_back({.skipped = 3, .numbers = count});
  const auto shapes = [](const PredictedNumbers& of) {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (const NumberWindow& window : of.windows) all.emplace_back(window.skipped, window.numbers);
    return all;
  };
  using Shapes = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(shapes(first_windows(numbers, 125)), (Shapes{{3, 10}}));
  EXPECT_EQ(shapes(first_windows(numbers, 126)), (Shapes{{3, 10}, {3, 20}}));
  EXPECT_EQ(shapes(last_windows(numbers, 0)), (Shapes{{3, 10}, {3, 20}, {3, 30}}));
  EXPECT_EQ(shapes(last_windows(numbers, 4)), (Shapes{{42, 20}, {3, 30}}));
  EXPECT_EQ(shapes(last_windows(numbers, 43)), (Shapes{{3, 20}, {3, 30}}));
  EXPECT_EQ(shapes(last_windows(numbers, 46)), (Shapes{{0, 20}, {3, 30}}));
  EXPECT_EQ(shapes(last_windows(numbers, 47)), (Shapes{{82, 30}}));
  EXPECT_EQ(shapes(last_windows(numbers, 130)), Shapes());
}

}  // namespace
}  // namespace adoc
