#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "adoc/observer.hpp"

namespace adoc::cli {

/// What a transfer waits for.
enum class Limit {
  link,       ///< the path between the machines
  bandwidth,  ///< --bwlimit
  buffer,     ///< a system's socket buffer, too small for the path
  sender,     ///< processors of this machine
  receiver,   ///< processors of the other machine
  disk,       ///< the other machine's
  source,     ///< what is read, or looked through for it, on this side
  answers,    ///< round trips: connecting, and what the other side wants
};
inline constexpr std::size_t kLimits = 8;

/// "link", "processors here": short enough for a legend.
[[nodiscard]] std::string_view in_words(Limit limit) noexcept;
/// One word, for programs.
[[nodiscard]] std::string_view key_of(Limit limit) noexcept;

/// How much of some time it waited for each: 1 in the sum, or all 0 where there was no time.
struct LimitShares {
  std::array<double, kLimits> share{};

  [[nodiscard]] double of(Limit limit) const noexcept {
    return share[static_cast<std::size_t>(limit)];
  }
  [[nodiscard]] double& of(Limit limit) noexcept { return share[static_cast<std::size_t>(limit)]; }
  [[nodiscard]] bool any() const noexcept;
  [[nodiscard]] Limit largest() const noexcept;
};

/// Between two observations of one transfer.
[[nodiscard]] LimitShares limits_between(const Observation& from, const Observation& to) noexcept;

}  // namespace adoc::cli
