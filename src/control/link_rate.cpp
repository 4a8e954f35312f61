#include "control/link_rate.hpp"

#include <algorithm>
#include <cmath>

namespace adoc {
namespace {

/// A window is long enough after the first two of these, and after the third in any case.
constexpr double kWindowSeconds = 20e-3;
constexpr double kWindowBytes = 512 << 10;
constexpr double kLongestSeconds = 200e-3;

/// Samples are no closer than this; two of them are the first window.
constexpr double kSampleSeconds = 0.1e-3;

/// What the system takes at least in one call from a queue that is not empty.
constexpr double kCallBytes = 64 << 10;

/// Of the time, in which a link that shows its rate is sending.
constexpr double kBusyShare = 0.8;

/// A link that only waits is thought to be e times as fast after this.
constexpr double kGrowthSeconds = 50e-3;
constexpr double kFirstGrowthSeconds = 2e-3;
constexpr double kHighestRate = 20e9;

}  // namespace

void LinkRate::see(const LinkState& link) {
  Sample now{.seconds = link.seconds,
             .sent = static_cast<double>(link.sent_bytes),
             .sending = link.sending_seconds};
  if (samples_.empty()) {
    samples_.push_back(now);
    return;
  }
  const Sample& last = samples_.back();
  const double seconds = now.seconds - last.seconds;
  if (seconds < kSampleSeconds) return;
  now.busy = now.sending - last.sending >= kBusyShare * seconds;
  // What waits before anything is known may be all that a slow link takes for a second.
  if (!known_ && now.busy)
    rate_ = std::min(rate_, kFirstRate * kCallBytes / static_cast<double>(link.queued_bytes));
  const bool idled = !last.busy || !now.busy;
  const double sent = now.sent - last.sent;
  now.surely_sent = last.surely_sent + (idled ? std::max(0.0, sent - kSystemBytes) : sent);
  follow(now);
  samples_.push_back(now);
  while (samples_.size() > 2 && samples_[1].seconds < now.seconds - kLongestSeconds)
    samples_.pop_front();
}

void LinkRate::follow(const Sample& now) {
  auto then = samples_.rbegin();
  for (; std::next(then) != samples_.rend(); ++then) {
    const double seconds = now.seconds - then->seconds;
    if (seconds >= kLongestSeconds ||
        (seconds >= kWindowSeconds && now.sent - then->sent >= kWindowBytes))
      break;
  }
  const double seconds = now.seconds - then->seconds;
  const double sending = now.sending - then->sending;
  const double idle = std::max(0.0, seconds - sending);
  // The system goes on sending for a while after the queue is empty.
  const double busy = seconds - idle + std::min(idle, kSystemBytes / rate_);
  const double bytes = then->busy ? now.sent - then->sent : now.surely_sent - then->surely_sent;
  if (now.busy && busy >= kBusyShare * seconds) {
    if (!known_ && bytes <= 0) {
      // Whatever its rate, it has not yet sent what one call takes.
      rate_ = std::min(rate_, kCallBytes / seconds);
      return;
    }
    const double measured = std::max(bytes, 1'000.0) / busy;
    rate_ = known_ ? (rate_ + measured) / 2 : measured;
    known_ = true;
    return;
  }
  const double surely = now.surely_sent - then->surely_sent;
  if (surely > kSystemBytes) rate_ = std::max(rate_, surely / std::max(sending, 1e-3 * seconds));
  const double waited = (now.seconds - samples_.back().seconds) * (1 - busy / seconds);
  rate_ = std::min(
      kHighestRate,
      rate_ * std::exp(std::min(1.0, waited / (known_ ? kGrowthSeconds : kFirstGrowthSeconds))));
}

}  // namespace adoc
