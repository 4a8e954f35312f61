#include "pipeline/block_filter.hpp"

#include <algorithm>
#include <utility>

#include "codec/filter_statistics.hpp"
#include "wire/block.hpp"

namespace adoc {

namespace {

/// Of a block, whose statistics are asked as a filter leaves them.
constexpr std::size_t kSampledBytes = 16 << 10;

}  // namespace

void BlockFilter::choose(ByteSpan read, const SampleStats& stats, BlockEmitter& emitter,
                         int level) {
  chosen_ = {};
  if (read.size() > kMaxFilteredBlockBytes) return;
  const auto known = setup_.choice.lock()->known(stats, read.size());
  looked_ = !known;
  chosen_ = known ? *known : look(read, emitter, level);
  if (filters() && !has_memory()) chosen_ = {};
}

ByteFilter BlockFilter::look(ByteSpan read, BlockEmitter& emitter, int level) {
  const ByteFilter likely = setup_.item_bytes == 0 ? likely_filter(read)
                                                   : ByteFilter{.kind = FilterKind::byte_delta,
                                                                .item_bytes = setup_.item_bytes};
  if (likely.kind == FilterKind::none) return likely;
  if (const auto tried = setup_.choice.lock()->tried(likely)) return *tried;
  const ByteFilter found = emitter.try_filters(likely.item_bytes, read, level);
  setup_.choice.lock()->learn(likely, found);
  return found;
}

// For what is filtered, and what is in between.
bool BlockFilter::has_memory() {
  if (!has_memory_) has_memory_ = setup_.take_memory(2 * kMaxFilteredBlockBytes);
  return has_memory_;
}

SampleStats BlockFilter::stats(ByteSpan block, const SampleStats& raw) const {
  if (!filters()) return raw;
  Buffer sample = apply(block.first(std::min(block.size(), kSampledBytes)));
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

}  // namespace adoc
