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

/// By then a thread that was woken does what it is to do, even if others compute on all processors.
constexpr double kAwakeSeconds = 5e-3;

/// A link that only waits is thought to be e times as fast after this, or, if it was measured for
/// less than that, after as long as it was.
constexpr double kGrowthSeconds = 50e-3;
constexpr double kFirstGrowthSeconds = 0.5e-3;
/// And after it took so much more than it should have.
constexpr double kSurprisingBytes = 256 << 10;
constexpr double kTellingLinkBytes = 16 << 10;

/// A rate that looks lower is taken for e times nearer to that after this, or as long as it was
/// measured: threads that wait for a processor make any link look slow for a moment.
constexpr double kFallSeconds = 25e-3;

constexpr double kFarFaster = 4;

constexpr double kHighestRate = 20e9;

/// A receiver that read for more of the time than this kept up, and is not slow by one report.
constexpr double kKeepsUp = 0.99;

/// Of a receiver that reads for less of the time it is not known how much faster the link is.
constexpr double kLeastFlowing = 0.2;

/// A remembered rate is kept until so much has arrived, or for the longer of these: so long, and so
/// many times as long as that should have taken.
constexpr double kKeptBytes = 256 << 10;
constexpr double kKeptSeconds = 20e-3;
constexpr double kKeptTimes = 4;
/// Nor if the link, once it has sent something, waits for so long in all.
constexpr double kKeptIdleSeconds = 50e-3;
/// Where it waited for less than this part of the time, it is as slow as remembered.
constexpr double kHardlyIdle = 0.25;

/// So much must have arrived over a link for it to be remembered though it was never measured.
constexpr double kTriedBytes = 1 << 20;

/// What the rate was lately is its average over this part of the time so far.
constexpr double kLatelyPart = 0.25;

}  // namespace

void LinkRate::see(const LinkState& link, bool served) {
  follow_receiver(link.receiver);
  Sample now{.seconds = link.seconds,
             .sent = static_cast<double>(link.sent_bytes),
             .arrived = static_cast<double>(link.arrived_bytes),
             .given = static_cast<double>(link.sent_bytes + link.unsent_bytes),
             .ready = static_cast<double>(link.sent_bytes + link.ready_bytes)};
  if (samples_.empty()) {
    if (remembered_) now.saved = kMostSavedBytes;
    samples_.push_back(now);
    return;
  }
  const Sample& last = samples_.back();
  const double seconds = now.seconds - last.seconds;
  if (seconds < kSampleSeconds) return;
  const bool stuck = now.arrived == last.arrived && last.arrived < last.sent;
  stuck_seconds_ = stuck ? stuck_seconds_ + seconds : 0;
  const bool had_some = now.given > now.sent && last.given > last.sent;
  const bool queues = link.queue_seconds > 0 && now.arrived < now.sent;
  now.busy = (queues && !known_) || now.sent < last.given ||
             (had_some && seconds < kMomentSeconds) ||
             (served && now.sent < last.ready && (had_some || seconds >= kAwakeSeconds));
  // What a shaper has saved up while it was given less says nothing of its rate.
  const double passed = now.arrived - last.arrived;
  if (known_)
    now.saved =
        std::clamp(last.saved + seconds * bytes_per_second() - passed, 0.0, kMostSavedBytes);
  samples_.push_back(now);
  if (now.given > now.sent || now.arrived < now.sent)
    busy_seconds_ += seconds;
  else if (now.sent > 0)
    idle_seconds_ += seconds;
  if (kept_) keep();
  if (kept_) {
    // Nothing is known yet that says otherwise.
  } else if (now.busy) {
    measure();
  } else if (queues) {
    // It does not wait, so it is not faster than what was measured; but others may have filled the
    // queue, so neither is it as slow as what passes now.
    guess_ = 1;
  } else {
    grow();
  }
  if (now.busy || kept_) ahead_ = now.sent - now.arrived;
  follow(seconds);
  while (samples_.size() > 2 && samples_[1].seconds < now.seconds - kLongestSeconds)
    samples_.pop_front();
}

void LinkRate::follow_receiver(const ReceiverReport& report) {
  if (report.seconds > reported_seconds_) kept_up_ = flowed_ > kKeepsUp;
  reported_seconds_ = report.seconds;
  flowed_ = std::max(kLeastFlowing, 1 - report.stalled_share);
}

bool LinkRate::hardly_idle() const noexcept { return idle_seconds_ < kHardlyIdle * busy_seconds_; }

void LinkRate::keep() {
  const Sample& now = samples_.back();
  const double longest = std::max(kKeptSeconds, kKeptTimes * kKeptBytes / bytes_per_second());
  kept_ = now.arrived < kKeptBytes && busy_seconds_ < longest && idle_seconds_ < kKeptIdleSeconds;
  if (!kept_ && hardly_idle()) measured_seconds_ = kGrowthSeconds;
}

void LinkRate::follow(double seconds) {
  if (kept_) return;
  const double now = samples_.back().seconds;
  const double weight = log_lately_ == 0 ? 1 : 1 - std::exp(-seconds / (kLatelyPart * now));
  // What was seen of it, or hardly waits, is not told to be a little faster for that it waits.
  const bool as_seen = (measured_ && guess_ < kClearlyGuessed) || (remembered_ && hardly_idle());
  const double rate = as_seen ? seen_ / flowing() : bytes_per_second();
  log_lately_ += weight * (std::log(rate) - log_lately_);
}

std::optional<double> LinkRate::lately() const noexcept {
  // A link that never had to send all the time is at least as fast as thought.
  const bool tried = !samples_.empty() && samples_.back().arrived >= kTriedBytes;
  if (!measured_ && !tried) return std::nullopt;
  return std::exp(log_lately_);
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
  const double thought = let_through();
  if (bytes < kAtOnceBytes) {
    // Whatever its rate, it is less than what would have sent that much more by now, unless whoever
    // answers waits for a processor; then only what was never seen is given up.
    const double most =
        (now.arrived - begin->arrived + kAtOnceBytes) / (now.seconds - begin->seconds);
    if (!known_ || seconds > kAwakeSeconds) seen_ = std::min(seen_, most);
    guess_ = std::clamp(most / seen_, 1.0, guess_);
    return;
  }
  // Some of it a shaper may have let pass at once, since it had saved that up.
  const double most = bytes / seconds;
  const double least = (bytes - then->saved) / seconds;
  const double elapsed = now.seconds - std::next(samples_.rbegin())->seconds;
  const double fall = std::clamp(measured_seconds_, kFirstGrowthSeconds, kFallSeconds);
  // What is remembered of a link that was far faster is worth nothing.
  if (!known_ || (!measured_ && most * kFarFaster < thought))
    seen_ = most;
  else if (least > thought)
    seen_ = (thought + least) / 2;
  else if (most < seen_)
    seen_ += (most - seen_) * (1 - std::exp(-elapsed / fall));
  else  // It may be as fast as it is guessed to be. A little faster than seen it always looks.
    seen_ = guess_ > kClearlyGuessed ? std::min(thought, most) : std::max(seen_, least);
  guess_ = 1;
  known_ = true;
  measured_ = true;
  measured_seconds_ += elapsed;
}

void LinkRate::grow() {
  const Sample& now = samples_.back();
  const Sample& last = *std::next(samples_.rbegin());
  // What was not even given to the system tells nothing of a link that is not known at all.
  if (!known_ && now.sent - last.sent < kTellingLinkBytes) return;
  const double seconds = now.seconds - last.seconds;
  const double thought = bytes_per_second();
  // What was sent in excess of that is still waiting before the link, unless it has arrived.
  const double waiting = std::min(ahead_, last.sent - last.arrived);
  const double spare = seconds * thought - waiting - (now.sent - last.sent);
  ahead_ = std::clamp(-spare, 0.0, now.sent - now.arrived);
  const double excess = std::max(0.0, now.arrived - last.arrived - seconds * thought - last.saved);
  const double waited = spare > 0 ? spare / thought : excess > 0 ? seconds : 0;
  const double surprise = excess / kSurprisingBytes;
  const double growth = std::clamp(measured_seconds_, kFirstGrowthSeconds, kGrowthSeconds);
  guess_ *= std::exp(std::min(1.0, waited / growth + surprise));
  guess_ = std::clamp(kHighestRate / seen_, 1.0, guess_);
}

}  // namespace adoc
