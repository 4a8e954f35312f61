#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/limits.hpp"
#include "cli/series.hpp"

namespace adoc::cli {

/// One of some equal parts of the time of a transfer: what is drawn at one place.
struct Slot {
  double begin = 0;  ///< seconds
  double end = 0;
  double raw_bytes_per_second = 0;   ///< of the data that arrived
  double wire_bytes_per_second = 0;  ///< as which it did
  double queued_bytes = 0;           ///< at its end
  double link_price = 0;             ///< the same
  double streams = 1;                ///< the same: connections
  LimitShares limits{};
  // Of blocks that ended in it; none if none did.
  std::optional<double> level{};  ///< mean over their bytes
  int lowest = 0;
  int highest = 0;
};

/// At most some hundreds; none of a transfer that took no time. `seconds` is what it took, which
/// may be longer than anything was seen of it.
[[nodiscard]] std::vector<Slot> slots_of(const Series& series, double seconds);

/// Over all of them.
[[nodiscard]] LimitShares limits_of(const std::vector<Slot>& slots) noexcept;

}  // namespace adoc::cli
