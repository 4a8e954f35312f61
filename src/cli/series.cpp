#include "cli/series.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace adoc::cli {
namespace {

/// What others than the program may have written into a trace.
constexpr std::size_t kMostWordBytes = 80;

void note(Series::Sums& sums, const Decision& decision) {
  ++sums.blocks;
  sums.raw_bytes += decision.raw_bytes;
  sums.wire_bytes += decision.wire_bytes;
  sums.codec = decision.codec.substr(0, kMostWordBytes);
}

std::size_t class_of(const Decision& decision) noexcept {
  if (decision.random) return Series::kClasses - 1;
  return std::min<std::size_t>(static_cast<std::size_t>(std::max(0.0, decision.entropy_bits) / 2),
                               Series::kClasses - 2);
}

bool goes_further(const Series::Change& one, const Series::Change& other) noexcept {
  return std::abs(one.to - one.from) > std::abs(other.to - other.from);
}

/// `late` follows: the sum of both.
void merge(Series::Bin& early, Series::Bin&& late) {
  if (!late.used) return;
  if (!early.used) {
    early = std::move(late);
    return;
  }
  if (late.seen.time_seconds >= early.seen.time_seconds) early.seen = late.seen;
  early.raw_bytes += late.raw_bytes;
  early.wire_bytes += late.wire_bytes;
  if (late.blocks > 0) {
    early.lowest = early.blocks > 0 ? std::min(early.lowest, late.lowest) : late.lowest;
    early.highest = early.blocks > 0 ? std::max(early.highest, late.highest) : late.highest;
  }
  early.blocks += late.blocks;
  early.level_bytes += late.level_bytes;
  early.changes += late.changes;
  if (late.change && (!early.change || goes_further(*late.change, *early.change)))
    early.change = std::move(late.change);
}

}  // namespace

Series::Series() : bins_(kBins), levels_(1) {}

const char* Series::class_name(std::size_t index) noexcept {
  constexpr std::array<const char*, kClasses> kNames{"under 2 bits a byte", "2 to 4 bits a byte",
                                                     "4 to 6 bits a byte", "6 to 8 bits a byte",
                                                     "as if random"};
  return kNames[index];
}

void Series::add(const Decision& decision) {
  const auto level = static_cast<std::size_t>(std::clamp(decision.level, 0, kMostLevel));
  if (levels_.size() <= level) levels_.resize(level + 1);
  note(levels_[level], decision);
  note(classes_[class_of(decision)], decision);
  note(all_, decision);
  Bin block{
      .used = true,
      .seen = decision.seen,
      .raw_bytes = decision.raw_bytes,
      .wire_bytes = decision.wire_bytes,
      .blocks = 1,
      .lowest = decision.level,
      .highest = decision.level,
      .level_bytes = static_cast<double>(decision.level) * static_cast<double>(decision.raw_bytes)};
  if (level_ && *level_ != decision.level) {
    ++changes_;
    block.changes = 1;
    block.change = Change{.time_seconds = decision.time_seconds,
                          .block = decision.block,
                          .from = *level_,
                          .to = decision.level,
                          .codec = std::string(decision.codec.substr(0, kMostWordBytes)),
                          .reason = std::string(decision.reason.substr(0, kMostWordBytes))};
  }
  level_ = decision.level;
  block.seen.time_seconds = decision.time_seconds;
  if (block.seen.time_seconds >= last_.time_seconds) last_ = block.seen;
  merge(bin_at(decision.time_seconds), std::move(block));
}

void Series::add(const Observation& seen) {
  if (seen.time_seconds >= last_.time_seconds) last_ = seen;
  merge(bin_at(seen.time_seconds), Bin{.used = true, .seen = seen});
}

Series::Bin& Series::bin_at(double seconds) {
  while (!(seconds < width_ * static_cast<double>(kBins))) widen();
  return bins_[static_cast<std::size_t>(std::max(0.0, seconds) / width_)];
}

void Series::widen() {
  width_ *= 2;
  for (std::size_t i = 0; i < kBins; ++i) {
    Bin both;
    if (2 * i < kBins) {
      both = std::move(bins_[2 * i]);
      merge(both, std::move(bins_[2 * i + 1]));
    }
    bins_[i] = std::move(both);
  }
}

}  // namespace adoc::cli
