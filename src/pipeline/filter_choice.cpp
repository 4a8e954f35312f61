#include "pipeline/filter_choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace adoc {

namespace {

/// Bits of a byte; blocks that differ by more are of different kinds.
constexpr double kKindBits = 0.5;

/// Blocks. A look takes up to a tenth of the time that LZ4 takes for a block, a trial up to a tenth
/// of that of any codec.
constexpr std::size_t kMostPause = 32;
constexpr std::size_t kTrialHolds = 16;

}  // namespace

bool FilterChoice::looks_at(const SampleStats& stats) noexcept {
  const bool other = std::abs(stats.entropy_bits - entropy_bits_) > kKindBits;
  if (!other && paused_ < pause_) {
    ++paused_;
    return false;
  }
  if (other) pause_ = 0;
  entropy_bits_ = stats.entropy_bits;
  return true;
}

std::optional<ByteFilter> FilterChoice::tried(const ByteFilter& likely) noexcept {
  Trial& trial = trial_of(likely);
  if (trial.blocks_left == 0) return std::nullopt;
  --trial.blocks_left;
  return trial.found;
}

void FilterChoice::learn(const ByteFilter& likely, const ByteFilter& found) noexcept {
  trial_of(likely) = {.found = found, .blocks_left = kTrialHolds};
}

void FilterChoice::decide(bool filtered) noexcept {
  pause_ = filtered ? 0 : std::min(kMostPause, std::max<std::size_t>(1, 2 * pause_));
  paused_ = 0;
}

FilterChoice::Trial& FilterChoice::trial_of(const ByteFilter& likely) noexcept {
  const std::size_t kind = likely.kind == FilterKind::byte_shuffle ? 0 : 1;
  return trials_[kind][static_cast<std::size_t>(std::countr_zero(likely.item_bytes)) - 1];
}

}  // namespace adoc
