#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "codec/byte_filter.hpp"
#include "codec/sample_stats.hpp"
#include "pipeline/block_emitter.hpp"
#include "pipeline/block_source.hpp"
#include "pipeline/buffer_stock.hpp"
#include "pipeline/filter_choice.hpp"
#include "util/buffer.hpp"
#include "util/bytes.hpp"
#include "util/guarded.hpp"

namespace adoc {

/// What a compression thread needs to filter numbers (codec/byte_filter.hpp): the filter of what it
/// has read, and memory for what that makes. For each read, and all blocks that are made of it
/// (without choose() nothing is filtered):
///
///     choose(), then for each block of it, which has at most most_bytes()
///         stats()   for the policy, to which filtered bytes are data of another kind
///         settle()  when the level of the first one is known
///         apply()   for the codec, unless the block goes raw
class BlockFilter {
 public:
  struct Setup {
    Guarded<FilterChoice>& choice;  ///< what all threads have found
    BufferStock& stock;
    std::uint8_t item_bytes = 0;  ///< of the numbers, 2, 4 or 8; 0: found out by statistics
    /// Takes so many bytes of the transfer's memory for good, or tells that they are not there.
    std::function<bool(std::size_t bytes)> take_memory;
  };

  explicit BlockFilter(Setup setup) : setup_(std::move(setup)) {}

  /// What decides which filter is worth its time.
  struct Goes {
    int level = 0;  ///< that blocks go at now
    FilterPrices prices{};
  };
  /// By what is known of data like it, else by statistics, which a trial confirms with the
  /// emitter's compressor. None for lack of memory.
  void choose(ByteSpan read, const SampleStats& stats, BlockEmitter& emitter, const Goes& goes);

  /// Instead of choose(): predictions of its numbers are in the place of a filter, unless there is
  /// no memory for that.
  void predict();
  /// Neither.
  void forget() noexcept;

  [[nodiscard]] const ByteFilter& chosen() const noexcept { return chosen_; }
  [[nodiscard]] bool predicts() const noexcept { return predicts_; }
  [[nodiscard]] bool filters() const noexcept {
    return predicts_ || chosen_.kind != FilterKind::none;
  }

  /// That a block may have: what is longer is several.
  [[nodiscard]] std::size_t most_bytes() const noexcept;

  /// Of the block as the codec gets it, from some of its bytes; `raw` if nothing is chosen.
  [[nodiscard]] SampleStats stats(const RawBlock& block, const SampleStats& raw) const;

  /// Where the link is so fast that blocks go raw, few are looked at.
  void settle(bool goes_raw);

  /// What the filter makes of a block, in a buffer of the stock.
  [[nodiscard]] Buffer apply(ByteSpan block) const;

  /// What predictions leave of a block.
  struct Folded {
    Buffer bytes{};                ///< of the stock; empty: the block goes as it is
    PredictedNumbers predicted{};  ///< all its whole windows
    std::size_t literals = 0;
  };
  [[nodiscard]] Folded fold(const RawBlock& block) const;

 private:
  [[nodiscard]] ByteFilter look(ByteSpan read, BlockEmitter& emitter, const Goes& goes);
  [[nodiscard]] bool has_memory();

  Setup setup_;
  ByteFilter chosen_{};
  bool predicts_ = false;
  bool looked_ = false;  ///< and it is not settled whether that was worth it
  bool has_memory_ = false;
};

}  // namespace adoc
