#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "util/bytes.hpp"

namespace adoc {

/// A run of a batch's stream, still raw.
struct RawBlock {
  std::uint64_t batch = 0;
  std::uint64_t offset = 0;  ///< in the batch's stream
  ByteSpan bytes{};          ///< never empty
};

/// Where the compress stage reads. Used by one thread at a time.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  /// Reads the next run into `into` (never empty), as long as there is but at most as long as that
  /// and not beyond the end of its batch; none at the end.
  [[nodiscard]] virtual std::optional<RawBlock> next(std::span<std::byte> into) = 0;
};

}  // namespace adoc
