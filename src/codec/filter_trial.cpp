#include "codec/filter_trial.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "util/buffer.hpp"
#include "util/clock.hpp"

namespace adoc {

namespace {

constexpr std::size_t kTrialBytes = 32 << 10;
/// Of the trial, in places all over the block: numbers in one of them say little of the others.
constexpr std::size_t kTrialPieces = 4;
constexpr std::size_t kTrialPieceBytes = kTrialBytes / kTrialPieces;
constexpr std::size_t kTrialAlignment = 8;  ///< a multiple of the size of each kind of number
constexpr double kLeastGain = 0.03;

constexpr std::array kFilters{FilterKind::byte_shuffle, FilterKind::byte_delta,
                              FilterKind::bit_shuffle};

/// What zstd makes a table for (RFC 8878, 3.1.1.2.4).
constexpr std::size_t kTableHolds = 128 << 10;

// The negative settings of zstd leave literals as they are.
bool codes_entropy(const Rung& rung) noexcept {
  return rung.codec != CodecId::lz4 && (rung.codec != CodecId::zstd || rung.setting > 0);
}

std::size_t compressed_bytes(ByteSpan raw, Compressor& compressor, int setting) {
  std::array<std::byte, 8'192> packet;
  compressor.begin(raw, setting);
  std::size_t sum = 0;
  while (true) {
    const std::size_t length = compressor.next_packet(packet);
    sum += length;
    if (length < packet.size()) return sum;
  }
}

/// Each piece is the middle of its share, so that none is a header.
Buffer pieces_of(ByteSpan block) {
  Buffer pieces(std::min(block.size(), kTrialBytes));
  if (block.size() <= kTrialBytes) {
    std::ranges::copy(block, pieces.data());
    return pieces;
  }
  const std::size_t share = block.size() / kTrialPieces;
  for (std::size_t i = 0; i < kTrialPieces; ++i) {
    const std::size_t from =
        (i * share + (share - kTrialPieceBytes) / 2) / kTrialAlignment * kTrialAlignment;
    std::ranges::copy(block.subspan(from, kTrialPieceBytes), pieces.data() + i * kTrialPieceBytes);
  }
  return pieces;
}

}  // namespace

FilterTrial filter_trial(std::uint8_t item_bytes, const Rung& rung,
                         std::size_t block_bytes) noexcept {
  FilterTrial trial{.item_bytes = item_bytes,
                    .codes_entropy = codes_entropy(rung),
                    .planes_together = item_bytes};
  if (!trial.codes_entropy) return trial;
  const std::size_t plane = std::max<std::size_t>(1, block_bytes / item_bytes);
  const std::size_t fit = std::clamp<std::size_t>(kTableHolds / plane, 1, item_bytes);
  trial.planes_together = static_cast<std::uint8_t>(std::bit_floor(fit));
  return trial;
}

FilterCosts try_filters(const FilterTrial& trial, ByteSpan block, Compressor& compressor,
                        int setting) {
  const Buffer part = pieces_of(block);
  const std::size_t length = part.size();
  const auto bytes = static_cast<double>(std::max<std::size_t>(1, length));
  Buffer filtered(length);
  Buffer scratch(length);
  FilterCosts costs{.item_bytes = trial.item_bytes};
  costs.of(FilterKind::none).stored_bytes =
      static_cast<double>(compressed_bytes(part, compressor, setting)) / bytes;
  for (const FilterKind kind : kFilters) {
    const ByteFilter filter{.kind = kind, .item_bytes = trial.item_bytes};
    apply_filter(filter, part, filtered, scratch);  // memory is touched before anything is timed
    std::size_t sum = 0;
    const std::size_t tables = trial.item_bytes / trial.planes_together;
    for (std::size_t i = 0; i < tables; ++i) {
      const std::size_t from = i * length / tables;
      const std::size_t to = (i + 1) * length / tables;
      sum += compressed_bytes(ByteSpan(filtered).subspan(from, to - from), compressor, setting);
    }
    const double begin = thread_seconds();
    apply_filter(filter, part, filtered, scratch);
    const double middle = thread_seconds();
    undo_filter(filter, filtered, scratch);
    costs.of(kind) = {.stored_bytes = static_cast<double>(sum) / bytes,
                      .seconds = (middle - begin) / bytes,
                      .seconds_to_undo = (thread_seconds() - middle) / bytes};
  }
  return costs;
}

ByteFilter FilterCosts::cheapest(const FilterPrices& prices) const noexcept {
  ByteFilter best;
  double least = (1 - kLeastGain) * prices.stored_byte * of(FilterKind::none).stored_bytes;
  for (const FilterKind kind : kFilters) {
    const Cost& its = of(kind);
    const double cost = prices.stored_byte * its.stored_bytes + prices.second * its.seconds +
                        prices.receiver_second * its.seconds_to_undo;
    if (cost >= least) continue;
    least = cost;
    best = {.kind = kind, .item_bytes = item_bytes};
  }
  return best;
}

}  // namespace adoc
