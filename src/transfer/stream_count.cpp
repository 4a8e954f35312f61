#include "transfer/stream_count.hpp"

#include <algorithm>
#include <cmath>

namespace adoc {

std::size_t StreamCount::more(double factor) const noexcept {
  const auto wanted = static_cast<std::size_t>(std::ceil(static_cast<double>(count_) * factor));
  return std::min(std::max(wanted, count_ + 1), most_);
}

std::size_t StreamCount::fewer() const noexcept {
  const auto wanted = static_cast<std::size_t>(static_cast<double>(count_) / kStep);
  return std::max<std::size_t>(1, std::min(wanted, count_ - 1));
}

void StreamCount::use(std::size_t count) noexcept {
  count_ = count;
  latest_.reset();
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
  latest_ = sample.rate;
  const bool has_room = sample.loss_limits && !sample.is_full && !is_refuted_;
  const bool keeps_room = has_room && had_room_;
  had_room_ = has_room;
  // The first one may still be starting: what grows by itself says nothing of others. One that
  // losses have slowed down has started.
  if (phase_ == Phase::climbing && count_ == 1 && grows && !sample.loss_limits) return count_;
  switch (phase_) {
    case Phase::climbing:
      climb(sample, agrees, has_room);
      break;
    case Phase::descending:
      descend(sample, agrees, keeps_room);
      break;
    case Phase::resting:
      rest(sample, agrees, keeps_room);
      break;
  }
  return count_;
}

void StreamCount::climb(const Sample& sample, bool agrees, bool has_room) noexcept {
  best_ = std::max(best_, sample.rate);
  const double grown = static_cast<double>(count_) / static_cast<double>(before_);
  const double gain = rate_before_ > 0 ? sample.rate / rate_before_ : grown;
  // Half of what the number has grown by needs no second look.
  const bool pays = gain >= 1 + (grown - 1) / 2;
  if (!pays && !agrees && !has_room) return;
  const bool is_vain = gain < 1 + kWorth && count_ != 1;
  const bool is_enough = is_vain && (in_vain_ || !has_room);
  is_refuted_ = is_enough && has_room;
  in_vain_ = is_vain;
  if (count_ == most_ || is_enough || (count_ == 1 && sample.is_full)) {
    phase_ = count_ == 1 ? Phase::resting : Phase::descending;
    if (phase_ == Phase::descending) {
      rate_before_ = sample.rate;
      before_ = count_;
      use(fewer());
    }
    return;
  }
  rate_before_ = sample.rate;
  before_ = count_;
  use(more(has_room || (pays && !sample.is_full) ? kLeap : kStep));
}

void StreamCount::descend(const Sample& sample, bool agrees, bool has_room) noexcept {
  best_ = std::max(best_, sample.rate);
  if (!agrees && !has_room) return;
  if (has_room || sample.rate < (1 - kWorth) * best_) {
    use(before_);
    phase_ = Phase::resting;
    return;
  }
  if (count_ == 1) {
    phase_ = Phase::resting;
    return;
  }
  before_ = count_;
  use(fewer());
}

void StreamCount::rest(const Sample& sample, bool agrees, bool has_room) noexcept {
  if (!agrees && !has_room) return;
  if (rested_ == 0) best_ = sample.rate;
  ++rested_;
  const bool is_another = std::abs(sample.rate - best_) > kOtherRate * best_ || has_room;
  if (!is_another && rested_ < rest_) return;
  rest_ = is_another ? kRest : std::min(2 * rest_, kLongestRest);
  rested_ = 0;
  if (count_ == most_ || (count_ == 1 && sample.is_full)) return;
  phase_ = Phase::climbing;
  in_vain_ = is_refuted_ = false;
  best_ = rate_before_ = sample.rate;
  before_ = count_;
  use(more(kStep));
}

}  // namespace adoc
