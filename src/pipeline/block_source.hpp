#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adoc/lossy.hpp"
#include "util/bytes.hpp"
#include "wire/block.hpp"

namespace adoc {

/// Numbers of a run that were made coarser so that they can be predicted
/// (codec/predicted_form.hpp).
struct PredictedNumbers {
  ItemType type = ItemType::float32;
  std::vector<NumberWindow> windows{};
};

/// Of the first `bytes` of the run, and of those behind them: of both the windows that are whole.
[[nodiscard]] PredictedNumbers first_windows(const PredictedNumbers& numbers, std::size_t bytes);
[[nodiscard]] PredictedNumbers last_windows(const PredictedNumbers& numbers, std::size_t bytes);

/// A run of a batch's stream, still raw.
struct RawBlock {
  std::uint64_t batch = 0;
  std::uint64_t offset = 0;  ///< in the batch's stream
  ByteSpan bytes{};          ///< never empty
  PredictedNumbers predicted{};
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
