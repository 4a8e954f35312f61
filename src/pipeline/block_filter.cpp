#include "pipeline/block_filter.hpp"

#include <algorithm>
#include <utility>

#include "codec/filter_statistics.hpp"
#include "codec/predicted_form.hpp"
#include "wire/block.hpp"

namespace adoc {

namespace {

/// Of a block, whose statistics are asked as a filter leaves them.
constexpr std::size_t kSampledBytes = 16 << 10;

}  // namespace

void BlockFilter::choose(ByteSpan read, const SampleStats& stats, BlockEmitter& emitter,
                         const Goes& goes) {
  chosen_ = {};
  predicts_ = false;
  const auto known = setup_.choice.lock()->known(stats, read.size());
  looked_ = !known;
  chosen_ = known ? *known : look(read, emitter, goes);
  if (filters() && !has_memory()) chosen_ = {};
}

void BlockFilter::predict() {
  forget();
  predicts_ = has_memory();
}

void BlockFilter::forget() noexcept {
  chosen_ = {};
  looked_ = false;
  predicts_ = false;
}

ByteFilter BlockFilter::look(ByteSpan read, BlockEmitter& emitter, const Goes& goes) {
  const ByteFilter likely = setup_.item_bytes == 0 ? likely_filter(read)
                                                   : ByteFilter{.kind = FilterKind::byte_delta,
                                                                .item_bytes = setup_.item_bytes};
  if (likely.kind == FilterKind::none) return likely;
  const Rung rung = emitter.trial_rung(goes.level);
  const FilterTrial trial = filter_trial(likely.item_bytes, rung, read.size());
  auto costs = setup_.choice.lock()->tried(likely, trial, read.size());
  if (!costs) {
    costs = emitter.try_filters(trial, read, rung);
    setup_.choice.lock()->learn(likely, trial, *costs, read.size());
  }
  return costs->cheapest(goes.prices);
}

// For what is filtered, and what is in between.
bool BlockFilter::has_memory() {
  if (!has_memory_) has_memory_ = setup_.take_memory(2 * kMaxFilteredBlockBytes);
  return has_memory_;
}

std::size_t BlockFilter::most_bytes() const noexcept {
  return chosen_.kind != FilterKind::none ? kMaxFilteredBlockBytes : SIZE_MAX;
}

SampleStats BlockFilter::stats(const RawBlock& block, const SampleStats& raw) const {
  if (!filters()) return raw;
  Buffer sample;
  if (predicts_) {
    // Its first window.
    RawBlock first{.bytes = block.bytes, .predicted = block.predicted};
    if (first.predicted.windows.empty()) return raw;
    first.predicted.windows.resize(1);
    const NumberWindow& window = first.predicted.windows.front();
    first.bytes = block.bytes.first(std::min(
        block.bytes.size(), window.skipped + window.numbers * number_bytes(first.predicted.type)));
    sample = fold(first).bytes;
    if (sample.empty()) return raw;
  } else {
    sample = apply(block.bytes.first(std::min(block.bytes.size(), kSampledBytes)));
  }
  const SampleStats stats = sample_stats(sample);
  setup_.stock.give_back(std::move(sample));
  return stats;
}

void BlockFilter::settle(bool goes_raw) {
  if (!std::exchange(looked_, false)) return;
  setup_.choice.lock()->decide(goes_raw ? ByteFilter{} : chosen_);
}

Buffer BlockFilter::apply(ByteSpan block) const {
  Buffer filtered = setup_.stock.take(block.size());
  filtered.resize(block.size());
  Buffer scratch;
  if (needs_scratch(chosen_)) {
    scratch = setup_.stock.take(block.size());
    scratch.resize(block.size());
  }
  apply_filter(chosen_, block, filtered, scratch);
  setup_.stock.give_back(std::move(scratch));
  return filtered;
}

BlockFilter::Folded BlockFilter::fold(const RawBlock& block) const {
  Folded folded{.predicted = first_windows(block.predicted, block.bytes.size())};
  if (folded.predicted.windows.empty() || folded.predicted.windows.size() > kMaxPredictedWindows)
    return folded;
  folded.bytes = setup_.stock.take(block.bytes.size());
  const auto literals =
      adoc::fold(folded.predicted.type, folded.predicted.windows, block.bytes, folded.bytes);
  if (!literals) setup_.stock.give_back(std::exchange(folded.bytes, {}));
  folded.literals = literals.value_or(0);
  return folded;
}

}  // namespace adoc
