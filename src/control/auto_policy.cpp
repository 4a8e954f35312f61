#include "control/auto_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adoc {
namespace {

constexpr double kLowestPrice = 1.0 / 4096;
constexpr double kHighestPrice = 4096;
constexpr double kShareGain = 1.0 / 16;
const double kOptimism = getenv("OP")?atof(getenv("OP")):0.15;
constexpr double kBlockSeconds = 0.25;
constexpr double kFirstBlockBytes = 64 << 10;
constexpr double kGrowth = 8;
const double kSocketRate = getenv("SR")?atof(getenv("SR")):6e8;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

AutoPolicy::AutoPolicy(const Setup& setup) : setup_(setup), model_(setup.ladder) {}

void AutoPolicy::see(const LinkState& link) {
  rate_.see(link);
  const double dt = link.seconds - seen_seconds_;
  seen_seconds_ = link.seconds;
  if (link.receiver.stalled_share > 0.5)
    receiver_factor_ = std::max(1.0 / 1024, receiver_factor_ * std::exp(-dt / 0.2));
  else if (link.receiver.stalled_share < 0.2)
    receiver_factor_ = std::min(1.0, receiver_factor_ * std::exp(dt / 0.5));
}

Plan AutoPolicy::plan(const LinkState& link) {
  see(link);
  if (setup_.block_bytes != 0) return {.block_bytes = setup_.block_bytes};
  const Rung& rung = setup_.ladder[static_cast<int>(level_)];
  const auto most = static_cast<double>(block_shape(rung).block_bytes);
  const double growing = std::max(kFirstBlockBytes, read_bytes_ / kGrowth);
  const double bytes = kBlockSeconds / model_.of(kind_)[level_].seconds_per_byte;
  return {.block_bytes = static_cast<std::size_t>(
              std::max(kFirstBlockBytes, std::min({bytes, most, growing})))};
}

// A block that is not ready when the link comes to it keeps the link idle, which costs as much as
// sending.
std::size_t AutoPolicy::best_level(std::size_t kind, const Terms& terms) {
  const auto& predictions = model_.of(kind);
  const auto threads = static_cast<double>(setup_.threads);
  std::size_t best = 0;
  double least = 0;
  for (int level = setup_.range.min; level <= setup_.range.max; ++level) {
    const auto at = static_cast<std::size_t>(level);
    const Prediction& p = predictions[at];
    const double work = p.seconds_per_byte * terms.raw;
    const double wire = p.wire_per_byte * terms.raw / link_rate();
    const double late = std::max(0.0, work - terms.reach - wire);
    const double cost = (work / threads + terms.price * (wire + late)) * (1 - kOptimism * p.doubt);
    if (level != setup_.range.min && cost >= least) continue;
    best = at;
    least = cost;
  }
  return best;
}

double AutoPolicy::link_rate() const {
  const double rate = rate_.bytes_per_second();
  const double load = rate / (kSocketRate * static_cast<double>(setup_.threads));
  return rate * (1 + load * load);
}

double AutoPolicy::reach(const LinkState& link) const {
  auto bytes = static_cast<double>(link.queued_bytes);
  double ready = 0;
  for (const Begun& block : begun_) {
    const double left = std::max(0.0, block.begin + block.seconds - link.seconds);
    ready = std::max(ready, left);
    if (block.seconds > 0) bytes += block.wire * left / block.seconds;
  }
  return std::max(ready, bytes / link_rate());
}

double AutoPolicy::balanced_price() {
  double low = std::log(kLowestPrice);
  double high = std::log(kHighestPrice);
  for (int i = 0; i < 16; ++i) {
    const double middle = (low + high) / 2;
    double work = 0;
    double wire = 0;
    for (std::size_t kind = 0; kind < shares_.size(); ++kind) {
      if (shares_[kind] < 0.01) continue;
      const Prediction& p =
          model_.of(kind)[best_level(kind, {.price = std::exp(middle), .raw = 1, .reach = kNever})];
      work += shares_[kind] * p.seconds_per_byte;
      wire += shares_[kind] * p.wire_per_byte;
    }
    const bool link_is_scarce =
        work / static_cast<double>(setup_.threads) < wire / link_rate();
    (link_is_scarce ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

Choice AutoPolicy::choose(const LinkState& link, const Look& look, std::size_t raw_bytes) {
  see(link);
  kind_ = LevelModel::kind_of(look);
  for (double& share : shares_) share *= blocks_ == 0 ? 0 : 1 - kShareGain;
  shares_[kind_] += blocks_ == 0 ? 1 : kShareGain;
  ++blocks_;

  const auto raw = static_cast<double>(raw_bytes);
  read_bytes_ += raw;
  const double ahead = reach(link);
  const double room = setup_.fifo_bytes / 2 / link_rate();
  const double full = static_cast<double>(link.queued_bytes) / link_rate() / room;
  const double price = balanced_price() * std::max(1.0, full * full) * receiver_factor_;
  level_ = best_level(kind_, {.price = price, .raw = raw, .reach = ahead});
  const Prediction& p = model_.of(kind_)[level_];
  begun_.push_back({.level = static_cast<int>(level_),
                    .look = look,
                    .begin = link.seconds,
                    .seconds = p.seconds_per_byte * raw,
                    .wire = p.wire_per_byte * raw});
  const std::string_view reason = receiver_factor_ < 0.5       ? "receiver limits"
                                  : link.queued_bytes == 0     ? "link idle"
                                  : look.random && level_ == 0 ? "random"
                                                               : "price";
  return {static_cast<int>(level_), reason};
}

void AutoPolicy::learn(const LinkState& link, const BlockResult& result) {
  see(link);
  auto begun = std::find_if(begun_.begin(), begun_.end(), [&](const Begun& block) {
    return block.level == result.level && block.look == result.look;
  });
  if (begun == begun_.end()) begun = begun_.begin();
  if (begun != begun_.end()) begun_.erase(begun);
  if (result.raw_bytes < 1024) return;
  const auto raw = static_cast<double>(result.raw_bytes);
  model_.learn(LevelModel::kind_of(result.look), result.level, result.compress_seconds / raw,
               static_cast<double>(result.wire_bytes) / raw);
}

}  // namespace adoc
