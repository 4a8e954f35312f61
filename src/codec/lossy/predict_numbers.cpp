#include "codec/lossy/predict_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "codec/lossy/measure_loss.hpp"
#include "codec/lossy/predicted_walk.hpp"
#include "codec/lossy/round_numbers.hpp"

namespace adoc {

namespace {

/// A step is 2^8 to 2^9 units: so much of the bound is used.
constexpr int kStepBits = 8;

/// A window of fewer numbers is rounded: its fields on the wire would take more than it saves.
constexpr std::size_t kLeastNumbers = 256;

/// So many from the middle of a window tell which predictor is best.
constexpr std::size_t kSampledNumbers = 2'048;

/// The largest part of the numbers that may be literals.
constexpr double kMostLiterals = 1.0 / 16;

/// Rounded numbers take less than their entropy says, since codecs find repetitions as well.
constexpr double kRoundingGain = 0.9;

/// How many bounds are tried for a ratio of signal to noise; a last one has to be larger by this.
constexpr int kTries = 4;
constexpr double kLeastStep = 1.02;

std::optional<Prediction> prediction_within(double bound, Predictor predictor) noexcept {
  const int exponent = std::ilogb(bound) + 1 - kStepBits;
  if (exponent < -Prediction::kMostExponent || exponent > Prediction::kMostExponent)
    return std::nullopt;
  // An odd one: no integer is then off by more than half a step, less half a unit, and half a unit
  // is what the integer may be off.
  const auto step = static_cast<std::uint32_t>(std::ldexp(bound, 1 - exponent));
  return Prediction{.predictor = predictor, .exponent = exponent, .step = (step - 1) | 1U};
}

double entropy_bits(std::span<const std::uint32_t> counts, double sum) noexcept {
  double bits = 0;
  for (const std::uint32_t count : counts)
    if (count != 0) bits -= count * std::log2(count / sum);
  return bits;
}

/// An estimate of the bits that codes take.
class CodeCost {
 public:
  void add(std::uint64_t code, unsigned word_bits) noexcept {
    const auto width = static_cast<std::size_t>(std::bit_width(code));
    ++counts_[code < kSmall ? code : kSmall + width];
    if (code == kLiteralCode) ++literals_;
    if (code == kLiteralCode) more_ += word_bits;
    if (code >= kSmall) more_ += static_cast<double>(width) - 1;
    ++sum_;
  }
  [[nodiscard]] double bits() const noexcept { return entropy_bits(counts_, sum_) + more_; }
  [[nodiscard]] bool has_many_literals() const noexcept { return literals_ > kMostLiterals * sum_; }

 private:
  static constexpr std::size_t kSmall = 128;
  std::array<std::uint32_t, kSmall + 65> counts_{};
  double literals_ = 0;
  double more_ = 0;
  double sum_ = 0;
};

/// The numbers of a window, and where those that arrive are written.
struct Window {
  ItemType type;
  std::span<const std::byte> numbers;
  std::span<std::byte> left;
};

/// Calls `count(code)` for each number.
template <typename Format, typename Count>
void predict(const Window& window, const Prediction& prediction, double bound,
             std::vector<std::int64_t>& values, Count count) {
  using Wide = typename Format::Wide;
  constexpr std::size_t kBytes = sizeof(typename Format::Word);
  const PredictedCode<Format> codes(prediction);
  Wide literal = 0;
  values.resize(std::max(values.size(), window.numbers.size() / kBytes));
  const std::span<std::int64_t> kept = std::span(values).first(window.numbers.size() / kBytes);
  walk(window.type, prediction.predictor, kept,
       [&](std::size_t level, std::size_t index, std::int64_t predicted) {
         const Wide word = load_number<Format>(window.numbers.data() + index * kBytes);
         const Coded<Format> coded = codes.code(level, word, predicted, [&](Wide made) {
           if (!Format::is_normal(word)) return made == word;
           return Format::is_finite(made) && Format::error(word, made) <= bound;
         });
         store_number<Format>(coded.word, window.left.data() + index * kBytes);
         const bool again = coded.code == kLiteralCode && coded.word == literal;
         if (coded.code == kLiteralCode) literal = coded.word;
         count(again ? kAgainCode : coded.code);
         return coded.integer;
       });
}

/// False if too many numbers are literals.
template <typename Format>
bool predict_all(const Window& window, const Prediction& prediction, double bound,
                 std::vector<std::int64_t>& values) {
  std::size_t literals = 0;
  predict<Format>(window, prediction, bound, values,
                  [&](std::uint64_t code) { literals += code == kLiteralCode ? 1 : 0; });
  return static_cast<double>(literals) <=
         kMostLiterals * static_cast<double>(window.numbers.size() / sizeof(typename Format::Word));
}

/// The entropy of the rounded numbers; infinite if a sample has too many different ones to tell.
template <typename Format>
double rounded_bits(const Window& window, double bound) {
  round_to_step(window.type, std::ilogb(bound) + 1, window.numbers, window.left);
  constexpr std::size_t kBytes = sizeof(typename Format::Word);
  constexpr unsigned kHashBits = 12;
  std::array<std::uint32_t, std::size_t{1} << kHashBits> counts{};
  const std::size_t count = window.numbers.size() / kBytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = load_number<Format>(window.left.data() + i * kBytes);
    ++counts[word * 0x9e37'79b9'7f4a'7c15 >> (64 - kHashBits)];
  }
  const auto different = static_cast<std::size_t>(
      std::ranges::count_if(counts, [](std::uint32_t times) { return times != 0; }));
  if (different > count / 4) return std::numeric_limits<double>::infinity();
  return entropy_bits(counts, static_cast<double>(count));
}

template <typename Format>
std::optional<Prediction> best_prediction(const Window& window, double bound,
                                          std::vector<std::int64_t>& values) {
  constexpr std::size_t kBytes = sizeof(typename Format::Word);
  const std::size_t count = window.numbers.size() / kBytes;
  if (count < kLeastNumbers) return std::nullopt;
  const std::size_t sampled = std::min(count, kSampledNumbers);
  const std::size_t begin = (count - sampled) / 4 * 2 * kBytes;
  const Window sample{.type = window.type,
                      .numbers = window.numbers.subspan(begin, sampled * kBytes),
                      .left = window.left.subspan(begin, sampled * kBytes)};
  double least = kRoundingGain * rounded_bits<Format>(sample, bound);
  if (least == 0) least = 1;
  std::optional<Prediction> best;
  for (std::size_t i = 0; i < kPredictors; ++i) {
    const auto prediction = prediction_within(bound, static_cast<Predictor>(i));
    if (!prediction) return std::nullopt;
    CodeCost cost;
    predict<Format>(sample, *prediction, bound, values,
                    [&](std::uint64_t code) { cost.add(code, Format::kBits); });
    if (cost.has_many_literals() || cost.bits() >= least) continue;
    least = cost.bits();
    best = prediction;
  }
  return best;
}

}  // namespace

std::optional<Prediction> predict_within(ItemType type, double bound,
                                         std::span<const std::byte> numbers,
                                         std::span<std::byte> left,
                                         std::vector<std::int64_t>& values) {
  return with_predicted_format(type, [&]<typename Format>(Format) -> std::optional<Prediction> {
    const Window window{.type = type, .numbers = numbers, .left = left};
    const auto best = best_prediction<Format>(window, bound, values);
    if (!best || !predict_all<Format>(window, *best, bound, values)) return std::nullopt;
    return best;
  });
}

std::optional<Prediction> predict_to_snr(ItemType type, double db,
                                         std::span<const std::byte> numbers,
                                         std::span<std::byte> left,
                                         std::vector<std::int64_t>& values) {
  return with_predicted_format(type, [&]<typename Format>(Format) -> std::optional<Prediction> {
    const Window window{.type = type, .numbers = numbers, .left = left};
    const LossyFigures all = measure_loss(type, numbers, numbers);
    const double allowed = all.squares / std::pow(10, db / 10);
    if (!std::isnormal(allowed)) return std::nullopt;
    // Errors that are spread evenly up to a bound have a third of its square in the mean.
    double bound = std::sqrt(3 * allowed / static_cast<double>(all.numbers));
    const auto first = best_prediction<Format>(window, bound, values);
    if (!first) return std::nullopt;
    double largest = 0;
    for (int i = 0; i < kTries; ++i) {
      const auto tried = prediction_within(bound, first->predictor);
      if (!tried || !predict_all<Format>(window, *tried, bound, values)) break;
      const double errors = measure_loss(type, numbers, left).error_squares;
      if (errors <= allowed) largest = std::max(largest, bound);
      if (errors == 0) break;
      const double next = bound * std::sqrt(allowed / errors) * 0.995;
      if (errors <= allowed && next < bound * kLeastStep) break;
      bound = next;
    }
    const auto made = prediction_within(largest, first->predictor);
    if (largest == 0 || !made || !predict_all<Format>(window, *made, largest, values))
      return std::nullopt;
    return made;
  });
}

}  // namespace adoc
