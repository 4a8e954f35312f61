#include "control/auto/link_model.hpp"

#include <algorithm>
#include <cmath>

namespace adoc {

using namespace params;

LinkModel::Kind LinkModel::kind_of(const LinkState& now) const {
  const bool queues = now.overdue_bytes > 0;
  const bool busy =
      queues || now.held_back || now.sent_bytes < last_.sent_bytes + last_.unsent_bytes;
  const bool held_back = (now.in_slow_start && !queues && !now.held_back) ||
                         now.receiver.stalled_share > kLimitingShare;
  if (busy) return held_back ? Kind::waiting : Kind::busy;
  return now.arrived_bytes > last_.arrived_bytes ? Kind::waiting : Kind::idle;
}

// A thread may be stopped after it asked: then what it knows is older than the state.
void LinkModel::see(const LinkState& now) {
  const double at = now.seconds - now.age_seconds;
  if (at - last_seconds_ < kLeastSeconds) return;
  const Kind kind = kind_of(now);
  if (kind != window_.kind) begin_window(kind);
  add(now, at);
  last_ = now;
  last_seconds_ = at;
  is_current_ = false;
  // What a link passes once it has nothing saved up any more shows its rate best.
  const bool emptied =
      kind == Kind::busy && saved_bytes_ > 0 && window_.bytes >= saved_bytes_ + kArrivalBytes;
  const double seconds = window_.now - window_.begin;
  if (seconds >= (emptied ? kWakeSeconds : kWindowSeconds)) begin_window(kind);
}

void LinkModel::add(const LinkState& now, double at) {
  window_.now = at;
  const auto bytes = static_cast<double>(now.arrived_bytes - last_.arrived_bytes);
  if (bytes <= 0) return;
  if (window_.kind == Kind::busy && !window_.arrived) {
    window_.begin = last_seconds_;
    window_.begin_late = at;
  } else {
    window_.bytes += bytes;
  }
  window_.arrived = true;
  window_.end_late = at;
}

const RateBelief& LinkModel::rate() const {
  if (!is_current_) {
    rate_ = before_;
    observe_window(rate_);
    is_current_ = true;
  }
  return rate_;
}

void LinkModel::observe_window(RateBelief& rate) const {
  const double seconds = window_.now - window_.begin;
  if (seconds <= 0) return;
  rate.drift(seconds);
  if (window_.kind == Kind::waiting) {
    const double least = (window_.bytes - saved_bytes_ - kArrivalBytes) / seconds;
    if (least > 0) rate.observe(least, RateBelief::kAnyRate, seconds);
  } else if (window_.kind == Kind::busy) {
    // Until the first arrival nobody knows how long the way is, unless something came before.
    if (!window_.arrived && last_.arrived_bytes == 0) return;
    const double since = window_.now - window_.begin_late;
    if (since <= 0) return;
    const double least = window_.bytes - saved_bytes_;
    rate.observe(least > 0 ? least / (window_.end_late - window_.begin) : 0,
                 (window_.bytes + kArrivalBytes) / since, seconds);
  }
}

void LinkModel::begin_window(Kind kind) {
  const double seconds = window_.now - window_.begin;
  if (seconds > 0) {
    observe_window(before_);
    // What is saved up is gone once a busy link has passed as much, and comes back while it waits.
    const double refilled = window_.kind == Kind::busy ? 0 : seconds * std::exp(before_.log_mean());
    saved_bytes_ = std::clamp(saved_bytes_ + refilled - window_.bytes, 0.0, kBurstBytes);
  }
  const double now = last_seconds_;
  window_ = {.kind = kind, .begin = now, .begin_late = now, .end_late = now, .now = now};
  is_current_ = false;
}

}  // namespace adoc
