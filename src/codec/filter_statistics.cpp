#include "codec/filter_statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numbers>

namespace adoc {

namespace {

constexpr std::size_t kPieces = 4;
constexpr std::size_t kPieceBytes = 2'048;
constexpr std::size_t kItemBytes = sizeof(std::uint64_t);

/// Bits of a byte; a smaller difference of entropies is of the sample, not of the data.
constexpr double kTellingBits = 0.15;

using PlaceHistogram = std::array<std::uint16_t, 256>;

double n_log_n(std::size_t count) noexcept {
  // Only few of the bytes of a sample can be seen more often.
  static const auto kTable = [] {
    std::array<double, 1'024> table{};
    for (std::size_t i = 2; i < table.size(); ++i)
      table[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
    return table;
  }();
  if (count < kTable.size()) return kTable[count];
  return static_cast<double>(count) * std::log2(static_cast<double>(count));
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
  /// Of 8 bytes, the first in memory at place 0.
  void count(std::uint64_t item) noexcept {
    for (std::size_t place = 0; place < kItemBytes; ++place)
      ++histograms_[place][item >> 8 * place & 0xFF];
  }

  /// The mean over the places of an item.
  [[nodiscard]] double bits(std::size_t item_bytes) const noexcept {
    double sum = 0;
    for (std::size_t place = 0; place < item_bytes; ++place) {
      PlaceHistogram all = histograms_[place];
      for (std::size_t from = place + item_bytes; from < kItemBytes; from += item_bytes)
        std::ranges::transform(all, histograms_[from], all.begin(), std::plus<>{});
      sum += place_bits(all);
    }
    return sum / static_cast<double>(item_bytes);
  }

 private:
  std::array<PlaceHistogram, kItemBytes> histograms_{};
};

std::uint64_t item_at(ByteSpan bytes, std::size_t at) noexcept {
  std::uint64_t item = 0;
  std::memcpy(&item, bytes.data() + at, kItemBytes);
  if constexpr (std::endian::native == std::endian::little) return item;
  return __builtin_bswap64(item);
}

/// Of each of the 8 bytes, modulo 256 (Warren, Hacker's Delight, 2-18).
std::uint64_t byte_differences(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t kTops = 0x8080'8080'8080'8080;
  return ((a | kTops) - (b & ~kTops)) ^ ((a ^ ~b) & kTops);
}

/// As the bytes are, or, with `delta_bytes`, as their differences to those so many before.
Places places_of(ByteSpan block, std::size_t delta_bytes) noexcept {
  Places places;
  const std::size_t step = block.size() / kPieces / kItemBytes * kItemBytes;
  const std::size_t length = std::min(step, kPieceBytes);
  for (std::size_t piece = 0; piece < kPieces; ++piece) {
    const ByteSpan bytes = block.subspan(piece * step, length);
    // What has nothing before it is left out of both.
    for (std::size_t at = kItemBytes; at + kItemBytes <= length; at += kItemBytes) {
      const std::uint64_t item = item_at(bytes, at);
      places.count(delta_bytes == 0 ? item
                                    : byte_differences(item, item_at(bytes, at - delta_bytes)));
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
