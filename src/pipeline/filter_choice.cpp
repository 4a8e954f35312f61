#include "pipeline/filter_choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace adoc {

namespace {

/// Bits of a byte; blocks that differ by more are of different kinds.
constexpr double kKindBits = 0.5;

/// A look takes a tenth of the time that LZ4 takes for so much. What a wrong filter does to so much
/// of other data is no more than what a cut block costs.
constexpr std::size_t kFilterHolds = 256 << 10;

/// Blocks without numbers are a good deal more frequent.
constexpr std::size_t kMostPause = 32;

/// A trial compresses up to 128 KiB, 3 % of so much; and a block of so much may have other data
/// than the one before it, though the statistics suggest the same.
constexpr std::size_t kTrialHolds = 4 << 20;

}  // namespace

std::optional<ByteFilter> FilterChoice::known(const SampleStats& stats,
                                              std::size_t bytes) noexcept {
  const bool other = std::abs(stats.entropy_bits - entropy_bits_) > kKindBits;
  if (!other && filter_.kind != FilterKind::none && bytes <= bytes_left_) {
    bytes_left_ -= bytes;
    return filter_;
  }
  if (!other && blocks_left_ > 0) {
    --blocks_left_;
    return ByteFilter{};
  }
  if (other) pause_ = 0;
  entropy_bits_ = stats.entropy_bits;
  return std::nullopt;
}

std::optional<FilterCosts> FilterChoice::tried(const ByteFilter& likely, const FilterTrial& trial,
                                               std::size_t bytes) noexcept {
  Outcome& outcome = outcome_of(likely, trial);
  const std::size_t held = std::max(bytes, kFilterHolds);
  if (outcome.bytes_left < held) return std::nullopt;
  outcome.bytes_left -= held;
  return outcome.found;
}

void FilterChoice::learn(const ByteFilter& likely, const FilterTrial& trial,
                         const FilterCosts& found, std::size_t bytes) noexcept {
  const std::size_t held = std::min(kTrialHolds, std::max(bytes, kFilterHolds));
  outcome_of(likely, trial) = {.found = found, .bytes_left = kTrialHolds - held};
}

void FilterChoice::decide(const ByteFilter& filter) noexcept {
  const bool filtered = filter.kind != FilterKind::none;
  filter_ = filter;
  bytes_left_ = filtered ? kFilterHolds : 0;
  pause_ = filtered ? 0 : std::min(kMostPause, std::max<std::size_t>(1, 2 * pause_));
  blocks_left_ = pause_;
}

FilterChoice::Outcome& FilterChoice::outcome_of(const ByteFilter& likely,
                                                const FilterTrial& trial) noexcept {
  const std::size_t kind = likely.kind == FilterKind::byte_shuffle ? 0 : 1;
  const auto size = static_cast<std::size_t>(std::countr_zero(trial.item_bytes)) - 1;
  const auto together = static_cast<std::size_t>(std::countr_zero(trial.planes_together));
  return outcomes_[kind][trial.codes_entropy ? 1 : 0][size][together];
}

}  // namespace adoc
