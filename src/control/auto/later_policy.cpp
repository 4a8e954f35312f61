#include "control/auto/later_policy.hpp"

#include <algorithm>
#include <limits>

#include "control/auto/params.hpp"

namespace adoc {

LaterPolicy::LaterPolicy(const Setup& setup) : setup_(setup), data_(setup.ladder, setup.prior) {
  setup_.range =
      within_memory(setup_.range, setup_.ladder, setup_.block_bytes, setup_.memory_bytes);
}

// Little is known at first, and blocks are then short, so that not much is made of what is not
// best.
double LaterPolicy::length(int level) const {
  if (setup_.block_bytes != 0) return static_cast<double>(setup_.block_bytes);
  const auto own = static_cast<double>(block_shape(setup_.ladder[level]).block_bytes);
  return std::min(own, std::max(params::kFirstBytes, params::kGrowth * seen_bytes_));
}

int LaterPolicy::best(const LinkState& link, std::size_t kind, double raw_bytes) const {
  const double processors = static_cast<double>(setup_.threads) / contention_.factor();
  const int top = top_level(setup_.range, setup_.ladder, link.takes_dense);
  int best = setup_.range.min;
  double least = std::numeric_limits<double>::infinity();
  for (int level = setup_.range.min; level <= top; ++level) {
    const double bytes = raw_bytes != 0 ? raw_bytes : length(level);
    const Expected its =
        data_.expected(kind, level, bytes, block_shape(setup_.ladder[level]).matches);
    const double seconds =
        (its.low_work + params::kBlockSeconds) / processors + its.low_wire / setup_.rate;
    if (seconds / bytes >= least) continue;
    least = seconds / bytes;
    best = level;
  }
  return best;
}

Plan LaterPolicy::plan(const LinkState& link) {
  if (setup_.block_bytes != 0) return {.block_bytes = setup_.block_bytes};
  if (!data_.knows_any()) return {.block_bytes = static_cast<std::size_t>(params::kFirstBytes)};
  return {.block_bytes = static_cast<std::size_t>(length(best(link, kind_, 0)))};
}

Choice LaterPolicy::choose(const LinkState& link, const SampleStats& stats, std::size_t raw_bytes) {
  kind_ = data_.class_of(stats);
  seen_bytes_ += static_cast<double>(raw_bytes);
  const int level = best(link, kind_, static_cast<double>(raw_bytes));
  return {.level = level, .reason = data_.has_seen(kind_, level) ? "least cost" : "untried level"};
}

void LaterPolicy::learn(const LinkState& link, const BlockResult& result) {
  if (result.processor_seconds > 0) contention_.follow(link.seconds, result);
  data_.learn(result, Contention::own_seconds(result));
}

}  // namespace adoc
