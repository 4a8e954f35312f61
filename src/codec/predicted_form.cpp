#include "codec/predicted_form.hpp"

#include <algorithm>
#include <numeric>

#include "adoc/error.hpp"
#include "codec/lossy/predicted_walk.hpp"

namespace adoc {

namespace {

Prediction prediction_of(const NumberWindow& window) noexcept {
  return {.predictor = static_cast<Predictor>(window.predictor),
          .exponent = window.exponent,
          .step = window.step};
}

/// Where the codes of a level go on, level by level from the last one.
class Places {
 public:
  Places(ItemType type, const std::vector<NumberWindow>& windows) noexcept {
    LevelCounts counts{};
    for (const NumberWindow& window : windows)
      count_levels(type, prediction_of(window).predictor, window.numbers, counts);
    for (std::size_t level = kLevels; level-- > 0;) {
      next_[level] = codes_;
      codes_ += counts[level];
    }
  }
  [[nodiscard]] std::size_t codes() const noexcept { return codes_; }
  [[nodiscard]] std::size_t take(std::size_t level) noexcept { return next_[level]++; }

 private:
  LevelCounts next_{};
  std::size_t codes_ = 0;
};

/// Codes by the weight of their bytes.
template <typename Format, typename Byte>
class Planes {
 public:
  Planes(Byte* bytes, std::size_t codes) noexcept : bytes_(bytes), codes_(codes) {}
  void put(std::size_t at, std::uint64_t code) const noexcept {
    for (std::size_t i = 0; i < kBytes; ++i)
      bytes_[i * codes_ + at] = static_cast<std::byte>(code >> (8 * i));
  }
  [[nodiscard]] std::uint64_t get(std::size_t at) const noexcept {
    std::uint64_t code = 0;
    for (std::size_t i = 0; i < kBytes; ++i)
      code |= std::to_integer<std::uint64_t>(bytes_[i * codes_ + at]) << (8 * i);
    return code;
  }

 private:
  static constexpr std::size_t kBytes = sizeof(typename Format::Word);
  Byte* bytes_;
  std::size_t codes_;
};

/// Calls `visit(window, begin)` for each, with where its numbers begin, and then `skip(begin,
/// length)` for each run of bytes that no window has.
template <typename Visit, typename Skip>
void for_each_window(ItemType type, const std::vector<NumberWindow>& windows, std::size_t raw_bytes,
                     Visit visit, Skip skip) {
  std::size_t at = 0;
  for (const NumberWindow& window : windows) {
    visit(window, at + window.skipped);
    at += window.skipped + window.numbers * number_bytes(type);
  }
  at = 0;
  for (const NumberWindow& window : windows) {
    skip(at, window.skipped);
    at += window.skipped + window.numbers * number_bytes(type);
  }
  skip(at, raw_bytes - at);
}

[[noreturn]] void throw_other_literals() {
  throw Error(ErrorKind::corrupt,
              "the data did not arrive as sent: other words of a block than it says are told by "
              "themselves");
}

template <typename Format>
std::optional<std::size_t> fold_format(ItemType type, const std::vector<NumberWindow>& windows,
                                       ByteSpan raw, Buffer& folded) {
  using Wide = typename Format::Wide;
  constexpr std::size_t kBytes = sizeof(typename Format::Word);
  const std::size_t most = raw.size() / 8 / kBytes;
  folded.resize(folded_bytes(type, raw.size(), most));
  Places places(type, windows);
  const Planes<Format, std::byte> planes(folded.data(), places.codes());
  std::byte* const literals = folded.data() + raw.size();
  std::byte* rest = folded.data() + places.codes() * kBytes;
  std::size_t count = 0;
  Wide literal = 0;
  std::vector<std::int64_t> values;
  const auto fold_window = [&](const NumberWindow& window, std::size_t begin) {
    const Prediction prediction = prediction_of(window);
    const PredictedCode<Format> codes(prediction);
    values.resize(window.numbers);
    walk(type, prediction.predictor, values,
         [&](std::size_t level, std::size_t index, std::int64_t predicted) {
           const Wide word = load_number<Format>(raw.data() + begin + index * kBytes);
           Coded<Format> coded =
               codes.code(level, word, predicted, [=](Wide made) { return made == word; });
           if (coded.code == kLiteralCode && word == literal) {
             coded.code = kAgainCode;
           } else if (coded.code == kLiteralCode) {
             literal = word;
             if (count < most) store_number<Format>(word, literals + count * kBytes);
             ++count;
           }
           planes.put(places.take(level), coded.code);
           return coded.integer;
         });
  };
  for_each_window(type, windows, raw.size(), fold_window,
                  [&](std::size_t begin, std::size_t length) {
                    rest = std::ranges::copy(raw.subspan(begin, length), rest).out;
                  });
  if (count > most) return std::nullopt;
  folded.resize(folded_bytes(type, raw.size(), count));
  return count;
}

template <typename Format>
void unfold_format(ItemType type, const std::vector<NumberWindow>& windows, ByteSpan folded,
                   std::span<std::byte> raw) {
  using Wide = typename Format::Wide;
  constexpr std::size_t kBytes = sizeof(typename Format::Word);
  Places places(type, windows);
  const Planes<Format, const std::byte> planes(folded.data(), places.codes());
  ByteSpan literals = folded.subspan(raw.size());
  ByteSpan rest = folded.subspan(places.codes() * kBytes);
  Wide literal = 0;
  std::vector<std::int64_t> values;
  const auto coded = [&](const PredictedCode<Format>& codes, std::size_t level, std::uint64_t code,
                         std::int64_t predicted) -> Coded<Format> {
    if (code == kNoStepsCode || code > kZeroCode) return codes.steps(level, code, predicted);
    if (code == kZeroCode) return {kZeroCode, 0, 0};
    if (code == kLiteralCode) {
      if (literals.empty()) throw_other_literals();
      literal = load_number<Format>(literals.data());
      literals = literals.subspan(kBytes);
    }
    return codes.literal(literal, predicted);
  };
  const auto unfold_window = [&](const NumberWindow& window, std::size_t begin) {
    const Prediction prediction = prediction_of(window);
    const PredictedCode<Format> codes(prediction);
    values.resize(window.numbers);
    walk(type, prediction.predictor, values,
         [&](std::size_t level, std::size_t index, std::int64_t predicted) {
           const Coded<Format> made =
               coded(codes, level, planes.get(places.take(level)), predicted);
           store_number<Format>(made.word, raw.data() + begin + index * kBytes);
           return made.integer;
         });
  };
  for_each_window(type, windows, raw.size(), unfold_window,
                  [&](std::size_t begin, std::size_t length) {
                    std::ranges::copy(rest.first(length), raw.subspan(begin).begin());
                    rest = rest.subspan(length);
                  });
  if (!literals.empty()) throw_other_literals();
}

}  // namespace

NumberWindow window_of(const Prediction& prediction, std::size_t numbers) noexcept {
  return {.numbers = numbers,
          .predictor = static_cast<std::uint8_t>(prediction.predictor),
          .exponent = static_cast<std::int16_t>(prediction.exponent),
          .step = static_cast<std::uint16_t>(prediction.step)};
}

std::optional<std::size_t> fold(ItemType type, const std::vector<NumberWindow>& windows,
                                ByteSpan raw, Buffer& folded) {
  return with_predicted_format(type, [&]<typename Format>(Format) {
    return fold_format<Format>(type, windows, raw, folded);
  });
}

void unfold(ItemType type, const std::vector<NumberWindow>& windows, ByteSpan folded,
            std::span<std::byte> raw) {
  with_predicted_format(
      type, [&]<typename Format>(Format) { unfold_format<Format>(type, windows, folded, raw); });
}

}  // namespace adoc
