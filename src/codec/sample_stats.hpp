#pragma once

#include <cstddef>
#include <cstdint>

#include "util/bytes.hpp"

namespace adoc {

/// Statistics of a small sample of a block, before it is compressed: enough to tell kinds of data
/// apart, never a promise.
struct SampleStats {
  /// Of a byte by order 0, in the sample: 0 to 8. Where all bytes are about as frequent, of those
  /// that are not part of what came before.
  double entropy_bits = 0;
  bool random = false;  ///< may not shrink at all; what is not random does, under any entropy coder

  bool operator==(const SampleStats&) const = default;
};

/// Of a few KB spread over the block, whatever its size.
[[nodiscard]] SampleStats sample_stats(ByteSpan block) noexcept;

}  // namespace adoc
