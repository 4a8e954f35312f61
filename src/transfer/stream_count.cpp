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
  settling_ = kSettling;
}

std::size_t StreamCount::take(const Sample& sample) noexcept {
  // Where something else limits, the rate says nothing of the path.
  if (!sample.is_limit || sample.round_trip < kShortRoundTrip) {
    latest_.reset();
    return count_;
  }
  if (settling_ > 0) {
    --settling_;
    return count_;
  }
  const bool agrees = latest_ && std::abs(sample.rate - *latest_) <= kAgree * *latest_;
  const bool grows = !latest_ || sample.rate > (1 + kAgree) * *latest_;
  latest_ = sample.rate;
  // The first one may still be starting: what grows by itself says nothing of others.
  if (phase_ == Phase::climbing && count_ == 1 && grows) return count_;
  switch (phase_) {
    case Phase::climbing:
      climb(sample, agrees);
      break;
    case Phase::descending:
      descend(sample, agrees);
      break;
    case Phase::resting:
      rest(sample, agrees);
      break;
  }
  return count_;
}

void StreamCount::climb(const Sample& sample, bool agrees) noexcept {
  best_ = std::max(best_, sample.rate);
  const double grown = static_cast<double>(count_) / static_cast<double>(before_);
  const double gain = rate_before_ > 0 ? sample.rate / rate_before_ : grown;
  // Half of what the number has grown by needs no second look.
  const bool pays = gain >= 1 + (grown - 1) / 2;
  if (!pays && !agrees) return;
  if (count_ == most_ || (gain < 1 + kWorth && count_ != 1) || (count_ == 1 && sample.is_full)) {
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
  use(more(sample.is_full || !pays ? kStep : kLeap));
}

void StreamCount::descend(const Sample& sample, bool agrees) noexcept {
  best_ = std::max(best_, sample.rate);
  if (!agrees) return;
  if (sample.rate < (1 - kWorth) * best_) {
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

void StreamCount::rest(const Sample& sample, bool agrees) noexcept {
  if (!agrees) return;
  if (rested_ == 0) best_ = sample.rate;
  ++rested_;
  const bool is_another = std::abs(sample.rate - best_) > kOtherRate * best_;
  if (!is_another && rested_ < rest_) return;
  rest_ = is_another ? kRest : std::min(2 * rest_, kLongestRest);
  rested_ = 0;
  if (count_ == most_ || (count_ == 1 && sample.is_full)) return;
  phase_ = Phase::climbing;
  best_ = rate_before_ = sample.rate;
  before_ = count_;
  use(more(kStep));
}

}  // namespace adoc
