#include "transfer/reconnecting.hpp"

#include <algorithm>

#include "adoc/error.hpp"
#include "util/seconds_text.hpp"
#include "util/wakeup.hpp"
#include "wire/stream_layout.hpp"

namespace adoc {

namespace {

/// In the time that a receiver waits for one that joins.
constexpr int kAttemptsInPatience = 16;

}  // namespace

Reconnecting::Reconnecting(const SendOptions& options)
    : timeout_(options.timeout),
      missing_(options.wait_for, seed()),
      lost_(options.retry_for, ~seed()) {}

std::uint64_t Reconnecting::seed() {
  return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
}

std::chrono::milliseconds Reconnecting::limit() const {
  const Backoff& backoff = current();
  if (backoff.attempt() == 0) return timeout_;
  const auto left = std::max(kMinTimeout, backoff.left(Clock::now()));
  return timeout_.count() == 0 ? left : std::min(left, timeout_);
}

void Reconnecting::note_lost(const SendSession& session, Clock::time_point since,
                             const std::deque<OutgoingBatchPtr>& unsettled) {
  reached_ = true;
  lost_.connected(since);
  const auto& wanted = session.first_wanted_bytes();
  if (session.committed_batches() > 0 || (wanted && wanted_ && *wanted < *wanted_)) lost_.reset();
  wanted_.reset();
  if (unsettled.empty() || unsettled.front()->wants.empty()) return;
  const OutgoingBatch& first = *unsettled.front();
  wanted_ = stream_size({first.entries, first.wants}).bytes;
}

unsigned Reconnecting::wait(const Error& failed, Observer* observer, const std::stop_token& stop) {
  Backoff& backoff = current();
  const auto wait = backoff.next(Clock::now(), longest_);
  if (!wait) throw given_up(failed);
  if (observer != nullptr)
    observer->on_retry({.reached = reached_,
                        .attempt = backoff.attempt(),
                        .wait = *wait,
                        .left = backoff.left(Clock::now() + *wait),
                        .failure = &failed});
  Wakeup stopped;
  const std::stop_callback on_stop(stop, [&] { stopped.set(); });
  if (stopped.wait_for(-1, 0, static_cast<int>(wait->count())) == Wakeup::Result::woken)
    throw Error(ErrorKind::interrupted, "interrupted");
  return backoff.attempt();
}

Error Reconnecting::given_up(const Error& failed) const {
  const auto budget = current().budget();
  if (budget.count() <= 0) return failed;
  return failed.followed_by("; gave up after " + duration_text(budget) +
                            (reached_ ? " without a connection that brought anything across"
                                        " (the same command goes on where it was)"
                                      : " of waiting for it"));
}

void Rejoining::expect(std::chrono::milliseconds patience) noexcept {
  if (patience.count() != 0) longest_ = std::min(longest_, patience / kAttemptsInPatience);
}

std::chrono::milliseconds Rejoining::next(const Error& why, std::uint64_t arrived) {
  if (arrived > arrived_) backoff_.reset();
  arrived_ = arrived;
  const auto wait = backoff_.next(Clock::now(), longest_);
  if (!wait)
    throw why.followed_by("; gave up after " + duration_text(backoff_.budget()) +
                          " without a connection that brought anything across");
  if (observer_ != nullptr)
    observer_->on_retry({.reached = true,
                         .attempt = backoff_.attempt(),
                         .wait = *wait,
                         .left = backoff_.left(Clock::now() + *wait),
                         .failure = &why});
  return *wait;
}

}  // namespace adoc
