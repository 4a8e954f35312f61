#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "codec/byte_filter.hpp"
#include "codec/filter_trial.hpp"
#include "codec/sample_stats.hpp"

namespace adoc {

/// Remembers what statistics and trials of filters have found (codec/filter_statistics.hpp,
/// filter_trial.hpp): data of one kind come in a row, so that few blocks need a look, which is the
/// statistics, and fewer a trial. No clock and no threads: one call at a time.
class FilterChoice {
 public:
  /// The filter of a block that is like the last one that was looked at, by its entropy: the same,
  /// for up to 256 KiB, or none, for up to 32 blocks. Nothing if the block is to be looked at;
  /// decide() then follows.
  [[nodiscard]] std::optional<ByteFilter> known(const SampleStats& stats,
                                                std::size_t bytes) noexcept;

  /// What such a trial found of a block for which the statistics suggested the same; nothing if 4
  /// MiB that were looked at since, this block among them, went by that.
  [[nodiscard]] std::optional<FilterCosts> tried(const ByteFilter& likely, const FilterTrial& trial,
                                                 std::size_t bytes) noexcept;

  /// What a trial found of a block.
  void learn(const ByteFilter& likely, const FilterTrial& trial, const FilterCosts& found,
             std::size_t bytes) noexcept;

  /// As what the block that was looked at goes: by none where none helps, and where the link is so
  /// fast that it goes raw.
  void decide(const ByteFilter& filter) noexcept;

 private:
  struct Outcome {
    FilterCosts found{};
    std::size_t bytes_left = 0;  ///< that it holds for
  };
  [[nodiscard]] Outcome& outcome_of(const ByteFilter& likely, const FilterTrial& trial) noexcept;

  // Of the block that was looked at last.
  double entropy_bits_ = -1;
  ByteFilter filter_{};
  std::size_t bytes_left_ = 0;   ///< that its filter holds for
  std::size_t pause_ = 0;        ///< for so many blocks none is looked at, if it had none
  std::size_t blocks_left_ = 0;  ///< of these
  /// By what the statistics suggested, whether entropy is coded, the size of items, and how many
  /// planes were together.
  std::array<std::array<std::array<std::array<Outcome, 4>, 3>, 2>, 2> outcomes_{};
};

}  // namespace adoc
