#pragma once

#include <algorithm>
#include <cstddef>

#include "codec/ladder.hpp"

namespace adoc {

/// The levels that a policy may use, both ends included.
struct LevelRange {
  int min = 0;
  int max = 0;

  [[nodiscard]] int clamp(int level) const noexcept { return std::clamp(level, min, max); }
};

/// Without the dense levels that so much memory does not suffice for, of which the pipeline would
/// make lighter blocks: the level below the dense ones is far slower than they are. `block_bytes`
/// is the length that was asked for, 0 is each level's own.
[[nodiscard]] inline LevelRange within_memory(LevelRange range, const Ladder& ladder,
                                              std::size_t block_bytes, std::size_t memory_bytes) {
  const auto fits = [&](const Rung& rung) {
    return compressor_bytes(rung, block_bytes) + block_shape(rung).block_bytes <= memory_bytes;
  };
  while (range.max > range.min && is_dense(ladder[range.max].codec) && !fits(ladder[range.max]))
    --range.max;
  return range;
}

/// The highest level of the range for a receiver that takes dense blocks, or does not: of a level
/// that it does not take the pipeline would make a lighter block, too.
[[nodiscard]] inline int top_level(const LevelRange& range, const Ladder& ladder,
                                   bool takes_dense) {
  return takes_dense ? range.max : range.clamp(std::min(range.max, ladder.top()));
}

}  // namespace adoc
