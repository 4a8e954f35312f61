#include "transfer/stream_count.hpp"

#include <algorithm>
#include <cmath>

namespace adoc {

std::size_t StreamCount::more(double factor) const noexcept {
  const auto wanted = static_cast<std::size_t>(std::ceil(static_cast<double>(count_) * factor));
  return std::min(std::max(wanted, count_ + 1), most_);
}

void StreamCount::use(std::size_t count) noexcept {
  count_ = count;
  latest_.reset();
  rates_ = {};
  had_room_ = false;
  settling_ = kSettling;
}

std::size_t StreamCount::take(const Sample& sample) noexcept {
  // Where something else limits, the rate says nothing of the path.
  if (!sample.is_limit || sample.round_trip < kShortRoundTrip) {
    latest_.reset();
    had_room_ = false;
    return count_;
  }
  if (settling_ > 0) {
    --settling_;
    return count_;
  }
  const bool agrees = latest_ && std::abs(sample.rate - *latest_) <= kAgree * *latest_;
  const bool grows = !latest_ || sample.rate > (1 + kAgree) * *latest_;
  // What grows does not scatter.
  if (latest_ && *latest_ > 0 && phase_ != Phase::climbing) {
    const double difference = (sample.rate - *latest_) / *latest_;
    squares_ += difference * difference;
    ++differences_;
  }
  latest_ = sample.rate;
  rates_.add({.sum = sample.rate, .number = 1});
  const bool has_room = sample.loss_limits && !sample.is_full && !is_refuted_;
  const bool keeps_room = has_room && had_room_;
  had_room_ = has_room;
  if (sample.is_full) full_rate_ = sample.rate;
  // The first one may still be starting: what grows by itself says nothing of others. One that
  // losses have slowed down has started.
  if (phase_ == Phase::climbing && count_ == 1 && grows && !sample.loss_limits) return count_;
  switch (phase_) {
    case Phase::climbing:
      climb(sample, agrees, has_room);
      break;
    case Phase::descending:
      descend(keeps_room);
      break;
    case Phase::resting:
      rest(sample, agrees, keeps_room);
      break;
  }
  return count_;
}

void StreamCount::climb(const Sample& sample, bool agrees, bool has_room) noexcept {
  const double grown = static_cast<double>(count_) / static_cast<double>(before_);
  const double gain = rate_before_ > 0 ? sample.rate / rate_before_ : grown;
  // Half of what the number has grown by needs no second look.
  const bool pays = gain >= 1 + (grown - 1) / 2;
  if (!pays && !agrees && !has_room) return;
  if (pays && count_ > before_) too_few_ = before_;
  const bool is_vain = gain < 1 + kWorth && count_ != 1;
  const bool is_enough = is_vain && (in_vain_ || !has_room);
  is_refuted_ = is_enough && has_room;
  in_vain_ = is_vain;
  // BBR sees to it that there is a queue only now and then.
  const bool is_full = full_rate_ > 0 && sample.rate >= (1 - kWorth) * full_rate_;
  if (count_ == most_ || is_enough || (count_ == 1 && is_full)) {
    enough_ = count_;
    phase_ = Phase::descending;
    if (count_ == 1) phase_ = Phase::resting;
    return;
  }
  rate_before_ = sample.rate;
  before_ = count_;
  use(more(has_room || (pays && !sample.is_full) ? kLeap : kStep));
}

void StreamCount::try_fewer() noexcept {
  if (enough_ == too_few_ + 1) {
    phase_ = Phase::resting;
    if (count_ != enough_) use(enough_);
    return;
  }
  const auto step = static_cast<std::size_t>(static_cast<double>(enough_) / kStep);
  use(step > too_few_ ? step : (enough_ + too_few_) / 2);
}

std::optional<bool> StreamCount::are_enough() const noexcept {
  const double over = rates_.mean() / best_.mean() - (1 - kWorth);
  const double error = std::sqrt(variance() * (1.0 / rates_.number + 1.0 / best_.number));
  const bool is_sure = rates_.number >= kLeastLooks && std::abs(over) >= kSure * error;
  if (!is_sure && rates_.number < kMostLooks) return std::nullopt;
  return over >= 0;
}

void StreamCount::descend(bool has_room) noexcept {
  if (count_ == enough_) {
    const double error = std::sqrt(variance() / rates_.number);
    if (rates_.number < kMostLooks && error > kKnown) return;
    best_ = rates_;
    try_fewer();
    return;
  }
  const auto enough = has_room ? false : are_enough();
  if (!enough) return;
  if (*enough) {
    enough_ = count_;
    best_.add(rates_);
  } else {
    too_few_ = count_;
  }
  try_fewer();
}

void StreamCount::rest(const Sample& sample, bool agrees, bool has_room) noexcept {
  if (!agrees && !has_room) return;
  if (rested_ == 0) rate_before_ = sample.rate;
  ++rested_;
  const bool is_another =
      std::abs(sample.rate - rate_before_) > kOtherRate * rate_before_ || has_room;
  if (!is_another && rested_ < rest_) return;
  if (!sample.is_full) full_rate_ = 0;
  rest_ = is_another ? kRest : std::min(2 * rest_, kLongestRest);
  rested_ = 0;
  if (count_ == most_ || (count_ == 1 && sample.is_full)) return;
  phase_ = Phase::climbing;
  in_vain_ = is_refuted_ = false;
  rate_before_ = sample.rate;
  before_ = count_;
  too_few_ = 0;
  use(more(kStep));
}

}  // namespace adoc
