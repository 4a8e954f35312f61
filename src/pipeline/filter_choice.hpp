#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "codec/byte_filter.hpp"
#include "codec/sample_stats.hpp"

namespace adoc {

/// Remembers what statistics and trials of filters have found (codec/filter_statistics.hpp,
/// filter_trial.hpp): data of one kind come in a row, so that few blocks need a trial, and of data
/// that have no numbers in them few need the statistics. No clock and no threads: one call at a
/// time.
class FilterChoice {
 public:
  /// Whether the next block is to be looked at, by its entropy: not for a while, up to 32 blocks,
  /// after blocks like it that no filter was for.
  [[nodiscard]] bool looks_at(const SampleStats& stats) noexcept;

  /// What a trial of a block found for which the statistics suggested the same; nothing if that
  /// was 16 blocks ago.
  [[nodiscard]] std::optional<ByteFilter> tried(const ByteFilter& likely) noexcept;

  /// What a trial found.
  void learn(const ByteFilter& likely, const ByteFilter& found) noexcept;

  /// Whether the block that was looked at goes as a filter leaves it: not where none helps, nor
  /// where the link is so fast that it goes raw.
  void decide(bool filtered) noexcept;

 private:
  struct Trial {
    ByteFilter found{};
    std::size_t blocks_left = 0;  ///< that it holds for
  };
  [[nodiscard]] Trial& trial_of(const ByteFilter& likely) noexcept;

  double entropy_bits_ = -1;  ///< of the block that was looked at last
  std::size_t pause_ = 0;     ///< for how many blocks nothing is looked at
  std::size_t paused_ = 0;    ///< of these so far
  std::array<std::array<Trial, 3>, 2> trials_{};
};

}  // namespace adoc
