#include <algorithm>
#include <cmath>

#include "control/auto_policy.hpp"

/// What a block costs at a level, and the prices of the link and of the receiver.
namespace adoc {
namespace {

/// What a level that was not tried lately is thought to be better than predicted: so it is tried
/// when it is nearly the best.
constexpr double kOptimism = 0.15;

/// Of the blocks lately, a share that is not worth a thought.
constexpr double kLeastShare = 0.01;

/// Of a processor, for a byte of memory that is written for the first time and given back in the
/// end; and the blocks that are thought to have the use of it.
constexpr double kFirstUseSeconds = 0.5e-9;
constexpr double kFirstUseBlocks = 8;
/// And for the first block that is compressed, at both ends, whatever its level: measured 1.5 ms by
/// the clock, with two threads at either. It is for so many more if all are of its kind.
constexpr double kFirstCompressedSeconds = 3e-3;
constexpr double kFirstCompressedBlocks = 16;

/// The price is averaged over this, and at the start over this part of the time so far.
constexpr double kPriceSeconds = 20e-3;
constexpr double kPricePart = 0.25;
/// It is not reckoned anew before so much of that has passed.
constexpr double kPriceStep = 0.25;

}  // namespace

// A block that is not ready when the link comes to it keeps the link idle, which costs as much as
// sending. On a fast link most levels are too dear by their work alone, and need no more reckoning.
double AutoPolicy::cost(std::size_t kind, std::size_t level, const Terms& terms, double most) {
  const Prediction& p = model_.of(kind)[level];
  const double believed = 1 - kOptimism * p.doubt * p.doubt;
  const double work = p.seconds_per_byte * terms.raw + first_use(kind, level, terms);
  if (work / processors() * believed >= most) return kNever;
  double shrinks = p.wire_per_byte(terms.raw);
  if (terms.hope > 0) shrinks = std::pow(shrinks, 1 + terms.hope * p.untried * p.untried);
  if (terms.errors > 0) shrinks *= std::exp(-terms.errors * p.log_ratio_error);
  const double wire_bytes = shrinks * terms.raw;
  const double wire = wire_bytes / terms.rate;
  const double sending = wire_bytes * sending_seconds_;
  // What may not shrink is held back until that is known.
  const double meanwhile = terms.reach + (kind == LevelModel::kRandomKind ? 0 : wire);
  const double takes = seconds_per_byte(p) * terms.raw;
  // Where the processors are what limits, the link waits between blocks in any case: their work
  // counts that already.
  const double waits_anyway = std::max(0.0, takes / static_cast<double>(setup_.threads) - wire) /
                              (1 + terms.price * terms.price);
  const double ready = takes * (1 + kCaution * p.speed_doubt);
  const double late = std::max(0.0, ready - meanwhile - waits_anyway);
  const double receiver =
      receiver_.seconds_per_byte(static_cast<int>(level), wire_bytes / terms.raw) * terms.raw;
  return ((work + sending) / processors() + terms.price * (wire + late) +
          terms.receiver_price * receiver) *
         believed;
}

// A compressor or a block that is larger than any before has memory made for it, which for data
// that vanish is more than all else that is done.
double AutoPolicy::first_use(std::size_t kind, std::size_t level, const Terms& terms) const {
  const double more = table_bytes_[level] + terms.raw - used_bytes_;
  const double of_level = std::max(0.0, more) * kFirstUseSeconds / kFirstUseBlocks;
  if (level == 0 || compressed_) return of_level;
  // As many more are to come as there were, for all that is known. Where the link limits, the
  // processors have time for it.
  const double blocks = std::max({1.0, seen_[kind], kFirstCompressedBlocks * shares_[kind]});
  return of_level + kFirstCompressedSeconds / blocks * std::max(0.0, 1 - terms.price);
}

std::size_t AutoPolicy::best_level(std::size_t kind, const Terms& terms) {
  std::size_t best = 0;
  double least = kNever;
  for (int level = setup_.range.min; level <= top_; ++level) {
    const auto at = static_cast<std::size_t>(level);
    const double seconds = cost(kind, at, terms, least);
    if (seconds >= least) continue;
    best = at;
    least = seconds;
  }
  return best;
}

AutoPolicy::Terms AutoPolicy::terms(double urgency) const {
  // Of a link of which nothing is known it is not believed that it has nothing better to do: what
  // is raw is many times what is not, and may be more than it sends in the whole transfer.
  const double least = rate_.known() ? 0 : 1;
  const double price = std::clamp(std::exp(prices_.link) * urgency, least, kHighestPrice);
  return {.price = price * receiver_factor_,
          .receiver_price = std::exp(prices_.receiver),
          .rate = link_rate()};
}

LogPrices AutoPolicy::balance() {
  const double processors = this->processors();
  const double rate = link_rate();
  Frontier frontier(kHandlingSeconds / processors);
  for (std::size_t kind = 0; kind < shares_.size(); ++kind) {
    if (shares_[kind] < kLeastShare) continue;
    frontier.add(shares_[kind]);
    for (int level = setup_.range.min; level <= top_; ++level) {
      const auto at = static_cast<std::size_t>(level);
      const Prediction& p = model_.of(kind)[at];
      const double wire_bytes = p.wire_per_byte(lengths_[at]);
      frontier.add({.work = (p.seconds_per_byte + wire_bytes * sending_seconds_) / processors,
                    .link = wire_bytes / rate,
                    .receiver = receiver_.seconds_per_byte(level, wire_bytes)},
                   1 - kOptimism * p.doubt * p.doubt);
    }
  }
  return frontier.balance(balanced_);
}

// From one moment to the next the rate that they rest on may look half or double what it is; and a
// level that is right on average costs less than those to either side of it in turns.
void AutoPolicy::follow_prices(double seconds) {
  const double over = std::min(kPriceSeconds, seconds * kPricePart);
  const double elapsed = seconds - prices_seconds_;
  if (elapsed < kPriceStep * over) return;
  balanced_ = balance();
  const double weight = over > 0 ? 1 - std::exp(-elapsed / over) : 1;
  prices_.link += weight * (balanced_.link - prices_.link);
  prices_.receiver += weight * (balanced_.receiver - prices_.receiver);
  prices_seconds_ = seconds;
}

}  // namespace adoc
