#include "control/link_rate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace adoc {
namespace {

/// A window is long enough after the first two of these, and after the third in any case.
constexpr double kWindowSeconds = 20e-3;
constexpr double kWindowBytes = 512 << 10;
constexpr double kLongestSeconds = 200e-3;

/// Samples are no closer than this, and of a link that has just begun to send one as old as this
/// is needed.
constexpr double kSampleSeconds = 0.1e-3;
constexpr double kLeastSeconds = 0.5e-3;

/// A system that has something to send at both ends of this had so in between.
constexpr double kMomentSeconds = 1e-3;

/// By then a thread that was woken to send does so, even if others compute on all processors.
constexpr double kAwakeSeconds = 5e-3;

/// What the system puts on the link at once, so that less may not have arrived yet.
constexpr double kAtOnceBytes = 64 << 10;

/// A link that only waits is thought to be e times as fast after this, or, if it was measured for
/// less than that, after as long as it was.
constexpr double kGrowthSeconds = 50e-3;
constexpr double kFirstGrowthSeconds = 0.5e-3;
/// And after it took so much more than it should have.
constexpr double kSurprisingBytes = 256 << 10;
constexpr double kTellingBytes = 16 << 10;

/// A rate that looks lower is taken for e times nearer to that after this, or as long as it was
/// measured: threads that wait for a processor make any link look slow for a moment.
constexpr double kFallSeconds = 25e-3;

constexpr double kHighestRate = 20e9;

}  // namespace

void LinkRate::see(const LinkState& link) {
  Sample now{.seconds = link.seconds,
             .sent = static_cast<double>(link.sent_bytes),
             .arrived = static_cast<double>(link.arrived_bytes),
             .given = static_cast<double>(link.sent_bytes + link.unsent_bytes),
             .ready = static_cast<double>(link.sent_bytes + link.ready_bytes)};
  if (samples_.empty()) {
    samples_.push_back(now);
    return;
  }
  const Sample& last = samples_.back();
  const double seconds = now.seconds - last.seconds;
  if (seconds < kSampleSeconds) return;
  const bool stuck = now.arrived == last.arrived && last.arrived < last.sent;
  stuck_seconds_ = stuck ? stuck_seconds_ + seconds : 0;
  const bool had_some = now.given > now.sent && last.given > last.sent;
  now.busy = now.sent < last.given || (had_some && seconds < kMomentSeconds) ||
             (now.sent < last.ready && (had_some || seconds >= kAwakeSeconds));
  samples_.push_back(now);
  if (now.busy)
    measure();
  else
    grow();
  while (samples_.size() > 2 && samples_[1].seconds < now.seconds - kLongestSeconds)
    samples_.pop_front();
}

void LinkRate::measure() {
  const Sample& now = samples_.back();
  auto begin = samples_.rbegin();  // since when it is busy, or the window is long enough
  const auto long_enough = [&](const Sample& then) {
    const double seconds = now.seconds - then.seconds;
    return seconds >= kLongestSeconds ||
           (seconds >= kWindowSeconds && now.arrived - then.arrived >= kWindowBytes);
  };
  while (begin->busy && !long_enough(*begin) && std::next(begin) != samples_.rend()) ++begin;
  auto then = begin;
  if (!long_enough(*begin)) {
    const double half = (now.seconds + begin->seconds) / 2;
    while (then->seconds < half) --then;
    if (now.seconds - then->seconds < kLeastSeconds) then = begin;
  }
  const double seconds = now.seconds - then->seconds;
  if (seconds < kLeastSeconds) return;
  const double bytes = now.arrived - then->arrived;
  if (bytes < kAtOnceBytes) {
    // Whatever its rate, it is less than what would have sent that much by now.
    rate_ = std::min(rate_, kAtOnceBytes / seconds);
    return;
  }
  const double measured = bytes / seconds;
  const double elapsed = now.seconds - std::next(samples_.rbegin())->seconds;
  const double fall = std::clamp(measured_seconds_, kFirstGrowthSeconds, kFallSeconds);
  const double weight = measured > rate_ ? 0.5 : 1 - std::exp(-elapsed / fall);
  rate_ = known_ ? rate_ + (measured - rate_) * weight : measured;
  known_ = true;
  measured_seconds_ += elapsed;
}

void LinkRate::grow() {
  const Sample& now = samples_.back();
  const Sample& last = *std::next(samples_.rbegin());
  // What was not even given to the system tells nothing of a link that is not known at all.
  if (!known_ && now.sent - last.sent < kTellingBytes) return;
  const double seconds = now.seconds - last.seconds;
  const double needed = (now.sent - last.sent) / rate_;
  const double waited = needed < seconds ? seconds - needed : seconds;
  const double surprise = std::max(0.0, needed - seconds) * rate_ / kSurprisingBytes;
  const double growth = std::clamp(measured_seconds_, kFirstGrowthSeconds, kGrowthSeconds);
  rate_ = std::min(kHighestRate, rate_ * std::exp(std::min(1.0, waited / growth + surprise)));
}

}  // namespace adoc
