#include "codec/filter_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>

namespace adoc {

namespace {

constexpr std::size_t kPieces = 4;
constexpr std::size_t kPieceBytes = 4'096;
constexpr std::size_t kMaxItemBytes = 8;

/// Bits of a byte; a smaller difference of entropies is of the sample, not of the data.
constexpr double kTellingBits = 0.15;

using PlaceHistogram = std::array<std::uint16_t, 256>;

double n_log_n(std::size_t count) noexcept {
  static const auto kTable = [] {
    std::array<double, kPieces * kPieceBytes + 1> table{};
    for (std::size_t i = 2; i < table.size(); ++i)
      table[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
    return table;
  }();
  return kTable[count];
}

/// By order 0, in bits of a byte, with the bias of a small sample taken off (Miller 1955).
double place_bits(const PlaceHistogram& histogram) noexcept {
  std::size_t total = 0;
  std::size_t symbols = 0;
  double sum = 0;
  for (const std::uint16_t count : histogram) {
    total += count;
    symbols += count != 0 ? 1 : 0;
    sum += n_log_n(count);
  }
  if (total == 0) return 0;
  const auto n = static_cast<double>(total);
  const double bias = (static_cast<double>(symbols) - 1) / (2 * n) * std::numbers::log2e;
  return std::min(8.0, (n_log_n(total) - sum) / n + bias);
}

/// The bytes of a sample by their place in items of 8 bytes, of which smaller items are parts.
class Places {
 public:
  void count(std::size_t place, std::byte byte) noexcept {
    ++histograms_[place][std::to_integer<std::size_t>(byte)];
  }

  /// The mean over the places of an item.
  [[nodiscard]] double bits(std::size_t item_bytes) const noexcept {
    double sum = 0;
    for (std::size_t place = 0; place < item_bytes; ++place) {
      PlaceHistogram all{};
      for (std::size_t from = place; from < kMaxItemBytes; from += item_bytes)
        std::ranges::transform(all, histograms_[from], all.begin(), std::plus<>{});
      sum += place_bits(all);
    }
    return sum / static_cast<double>(item_bytes);
  }

 private:
  std::array<PlaceHistogram, kMaxItemBytes> histograms_{};
};

Places places_of(ByteSpan block, std::size_t delta_bytes) noexcept {
  Places places;
  const std::size_t step = block.size() / kPieces / kMaxItemBytes * kMaxItemBytes;
  const std::size_t length = std::min(step, kPieceBytes) / kMaxItemBytes * kMaxItemBytes;
  for (std::size_t piece = 0; piece < kPieces; ++piece) {
    const ByteSpan bytes = block.subspan(piece * step, length);
    for (std::size_t i = delta_bytes; i < bytes.size(); ++i) {
      const unsigned before =
          delta_bytes == 0 ? 0 : std::to_integer<unsigned>(bytes[i - delta_bytes]);
      places.count(i % kMaxItemBytes,
                   static_cast<std::byte>(std::to_integer<unsigned>(bytes[i]) - before));
    }
  }
  return places;
}

}  // namespace

ByteFilter likely_filter(ByteSpan block) noexcept {
  const Places plain = places_of(block, 0);
  ByteFilter best;
  double least = plain.bits(1) - kTellingBits;
  const auto offer = [&](FilterKind kind, std::size_t item_bytes, double bits) {
    if (bits >= least) return;
    least = bits - kTellingBits;
    best = {.kind = kind, .item_bytes = static_cast<std::uint8_t>(item_bytes)};
  };
  for (const std::size_t item_bytes : {2U, 4U, 8U}) {
    offer(FilterKind::byte_shuffle, item_bytes, plain.bits(item_bytes));
    offer(FilterKind::byte_delta, item_bytes, places_of(block, item_bytes).bits(item_bytes));
  }
  return best;
}

}  // namespace adoc
