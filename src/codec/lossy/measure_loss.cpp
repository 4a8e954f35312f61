#include "codec/lossy/measure_loss.hpp"

#include <algorithm>
#include <array>

#include "codec/lossy/number_format.hpp"

namespace adoc {

namespace {

/// Sums that do not wait for each other.
constexpr std::size_t kSums = 4;

struct Sums {
  std::array<double, kSums> max{};
  std::array<double, kSums> error_squares{};
  std::array<double, kSums> squares{};
};

template <typename Format>
void add(Sums& sums, std::size_t which, const std::byte* was, const std::byte* is) noexcept {
  const auto word = load_number<Format>(was);
  const bool counts = Format::is_finite(word);
  const double value = counts ? Format::value(word) : 0;
  const double error = counts ? Format::error(word, load_number<Format>(is)) : 0;
  sums.max[which] = std::max(sums.max[which], error);
  sums.error_squares[which] += error * error;
  sums.squares[which] += value * value;
}

}  // namespace

LossyFigures measure_loss(ItemType type, std::span<const std::byte> numbers,
                          std::span<const std::byte> left) noexcept {
  return with_format(type, [&]<typename Format>(Format) {
    constexpr std::size_t kBytes = sizeof(typename Format::Word);
    const std::size_t count = numbers.size() / kBytes;
    const std::byte* const was = numbers.data();
    const std::byte* const is = left.data();
    Sums sums;
    std::size_t i = 0;
    for (; i + kSums <= count; i += kSums)
      for (std::size_t j = 0; j < kSums; ++j)
        add<Format>(sums, j, was + (i + j) * kBytes, is + (i + j) * kBytes);
    for (; i < count; ++i) add<Format>(sums, 0, was + i * kBytes, is + i * kBytes);
    LossyFigures figures{.numbers = count};
    for (std::size_t j = 0; j < kSums; ++j) {
      figures.max_error = std::max(figures.max_error, sums.max[j]);
      figures.error_squares += sums.error_squares[j];
      figures.squares += sums.squares[j];
    }
    return figures;
  });
}

}  // namespace adoc
