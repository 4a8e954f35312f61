#include "io/bundle_pump.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "adoc/error.hpp"
#include "util/prompt_thread.hpp"
#include "util/seconds_text.hpp"

namespace adoc {

namespace {

using std::chrono::milliseconds;

/// What is here is told after so much of it, or so long.
constexpr std::uint64_t kTellBytes = 256 << 10;
constexpr milliseconds kTellAfter{5};
/// How often the systems are asked what has arrived.
constexpr milliseconds kMeasureAfter{2};
/// What was given is sent for so long when the bundle closes.
constexpr milliseconds kClosing{400};
/// When all connections are lost, others may join for so long, or for so many round trips.
constexpr milliseconds kAlone{2'000};
constexpr double kAloneRoundTrips = 8;
constexpr milliseconds kLongestAlone{5'000};
/// A peer that is not known to have records in both directions may have given up at once.
constexpr milliseconds kAloneUnheard{500};
/// When all are lost, a peer that closes so many others before it says anything over them does not
/// know the transfer any more.
constexpr int kMostRefused = 2;
/// One that brings nothing across for so long, or for so many round trips, while others do, is
/// dead.
constexpr milliseconds kDead{2'000};
constexpr double kDeadRoundTrips = 10;
/// What has not arrived after so many round trips is late, or after so long.
constexpr double kLateRoundTrips = 3;
constexpr double kLateSeconds = 0.2;
constexpr std::size_t kLeastUnsent = 16 << 10;

double in_seconds(Clock::time_point time) noexcept {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

Clock::time_point at_seconds(double seconds) noexcept {
  return Clock::time_point(
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
}

Error gone(const std::string& peer) {
  return {ErrorKind::connect,
          "the connection to " + peer + " is lost: the other side went away before its end"};
}

milliseconds longer_of(milliseconds time, double seconds) noexcept {
  return std::max(time, milliseconds(static_cast<milliseconds::rep>(seconds * 1e3)));
}

}  // namespace

void BundlePump::run() noexcept {
  try {
    const PromptThread prompt;
    pump();
    end(nullptr);
  } catch (...) {
    end(std::current_exception());
  }
}

/// Nothing is done any more, and whoever waits for something finds that out.
void BundlePump::end(std::exception_ptr failure) noexcept {
  {
    const auto state = shared_.state.lock();
    if (!state->failure) state->failure = std::move(failure);
    state->is_over = true;
    state->connections = 0;
    if (state->aborted || state->failure)
      for (const auto& link : links_)
        if (link) link->stream().abort();
    state->joining.clear();
  }
  shared_.state.wake_all();
  links_.clear();
}

void BundlePump::pump() {
  while (true) {
    shared_.changed->reset();
    take_in();
    now_ = Clock::now();
    decide_telling();
    measure();
    if (!goes_on()) break;
    watch();
    set_.wait();
    now_ = Clock::now();
    attend();
  }
  for (const auto& link : links_)
    if (!shared_.state.lock()->aborted) link->stream().finish_now();
}

void BundlePump::take_in() {
  std::vector<JoiningStream> joining;
  Bytes heard;
  bool begins_reading = false;
  bool first_is_lost = false;
  {
    const auto state = shared_.state.lock();
    joining.swap(state->joining);
    first_is_lost = state->first_is_lost;
    if (first_is_lost) has_first_ = first_writes_ = true;
    if (state->is_lent && !has_first_) {
      has_first_ = true;
      // In front of those that have joined before, where it is looked for.
      links_.insert(links_.begin(),
                    std::make_unique<BundleLink>(shared_, first_, state->plain_bytes));
    }
    BundleLink* const first =
        has_first_ && !links_.empty() && links_.front()->number() == BundleLink::kFirst
            ? links_.front().get()
            : nullptr;
    if (first != nullptr && state->writes_records && !first_writes_) {
      first_writes_ = true;
      first->note_written(state->plain_bytes);
      state->out.add(BundleLink::kFirst);
    }
    // Before it is known where records begin their places say nothing.
    reads_joined_ = state->reads_records || (connects_ && !state->keeps);
    begins_reading = first != nullptr && !first_is_lost && state->reads_records && !first->reads();
    if (begins_reading) heard.swap(state->heard);
    for (std::size_t i = 0; i < joining.size(); ++i) state->out.add(last_number_ + 1 + i);
  }
  if (begins_reading) links_.front()->begin_reading(std::move(heard));
  for (JoiningStream& stream : joining) {
    if (stream.replaces) lose_all();
    links_.push_back(std::make_unique<BundleLink>(shared_, std::move(stream), ++last_number_));
  }
  if (first_is_lost && !links_.empty() && links_.front()->number() == BundleLink::kFirst)
    lose(*links_.front(), nullptr);
  drop_lost();
  // So that each side knows that the other takes it.
  if (!joining.empty()) tell_again_ = true;
  lose_longest_silent();
}

/// Of what can be sent; and the peer was told what is here.
bool BundlePump::has_all_gone() const {
  const auto state = shared_.state.lock();
  return (!state->writes_records || state->out.unassigned() == 0) &&
         state->in.arrived() == told_arrived_ &&
         std::ranges::none_of(links_, [](const auto& link) { return link && link->is_writing(); });
}

/// All connections are lost: nothing is, where both directions are records and others join soon.
bool BundlePump::waits_for_others(BundleState& state) {
  if (state.in.has_all() && state.out.all_arrived()) return false;
  const bool both = state.reads_records && state.writes_records;
  const bool both_soon = state.first_is_lost && state.outlives_first();
  if (!(both || both_soon) || state.closing || state.stopping) return false;
  if (state.gives_up || state.peer_gave_up) return false;
  if (!refused_) refused_ = 0;
  if (*refused_ >= kMostRefused) return false;
  if (!std::exchange(state.is_alone, true) || alone_until_ == Clock::time_point::max())
    alone_until_ = waits_until(state);
  return now_ < alone_until_;
}

Clock::time_point BundlePump::waits_until(const BundleState& state) const {
  if (state.patience && state.peer_knows) {
    if (state.patience->count() == 0) return Clock::time_point::max();
    // The peer may have heard something for as long as this side has heard nothing.
    return now_ + std::max(kAlone, state.was_silent ? 2 * *state.patience : *state.patience);
  }
  const milliseconds least = state.out.arrived() == 0 ? kAloneUnheard : kAlone;
  return now_ +
         std::min(kLongestAlone, longer_of(least, kAloneRoundTrips * state.round_trip_seconds));
}

bool BundlePump::goes_on() {
  bool closing = false;
  {
    const auto state = shared_.state.lock();
    if (state->aborted) return false;
    closing = state->closing;
    if (!has_first_ || !links_.empty() || !state->joining.empty()) {
      alone_until_ = Clock::time_point::max();
      if (std::ranges::any_of(links_, [](const auto& link) { return link->is_proven(); })) {
        refused_.reset();
        state->is_alone = false;
      }
      if (state->peer_gave_up && !state->failure) {
        state->failure = std::make_exception_ptr(gone(first_.peer()));
        return false;
      }
    } else if (!waits_for_others(*state)) {
      const bool complete = state->in.has_all() && state->out.all_arrived();
      if (!complete && !state->failure) state->failure = state->last_lost;
      return false;
    }
  }
  if (!closing) return true;
  if (closes_at_ == Clock::time_point::max()) closes_at_ = now_ + kClosing;
  return now_ < closes_at_ && !has_all_gone();
}

void BundlePump::decide_telling() {
  const auto state = shared_.state.lock();
  tell_at_ = Clock::time_point::max();
  teller_ = nullptr;
  // What came without records is said in frames, until it is known where it ends.
  if (state->keeps && !state->reads_records) return;
  const std::uint64_t arrived = state->in.arrived() - told_arrived_;
  const std::uint64_t room = state->in.limit() - state->told_limit;
  const bool soon =
      arrived >= kTellBytes || room >= shared_.window / 4 || state->in.has_end() || state->closing;
  if (arrived == 0 && !tell_again_ && room < shared_.window / 4) return;
  tell_at_ = soon || tell_again_ ? now_ : told_at_ + kTellAfter;
  if (tell_at_ > now_) return;
  // The one that works: what is said over one that does not is lost.
  for (const auto& link : links_) {
    const bool may_write = link->number() != BundleLink::kFirst || first_writes_;
    if (may_write && (teller_ == nullptr || link->heard_at() > teller_->heard_at()))
      teller_ = link.get();
  }
}

bool BundlePump::reads(const BundleLink& link) const noexcept {
  return link.reads() && (reads_joined_ || link.number() == BundleLink::kFirst);
}

void BundlePump::watch() {
  set_.clear();
  set_.add(shared_.changed->fd(), POLLIN);
  set_.wake_at(closes_at_);
  set_.wake_at(alone_until_);
  if (tell_at_ > now_) set_.wake_at(tell_at_);
  const auto state = shared_.state.lock();
  if (const auto late = state->out.late_at(); late && at_seconds(*late) > now_)
    set_.wake_at(at_seconds(*late));
  for (std::size_t i = 0; i < links_.size(); ++i) {
    BundleLink& link = *links_[i];
    link.set_used(i < state->used);
    const bool sends = link.is_writing() || teller_ == &link ||
                       (state->writes_records && link.is_used() &&
                        state->out.has_next(link.number(), in_seconds(now_)));
    const bool writes = link.number() != BundleLink::kFirst || first_writes_;
    const int events = (reads(link) ? POLLIN : 0) | (writes && sends ? POLLOUT : 0);
    const std::size_t number =
        set_.add(events != 0 ? link.stream().fd() : -1, static_cast<short>(events));
    if (i == 0) link_number_ = number;
    if (reads(link) && link.may_have_more()) set_.wake_at(now_);
  }
}

void BundlePump::attend() {
  hear_all();
  lose_silent();
  say_all();
  drop_lost();
}

void BundlePump::hear_all() {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    BundleLink& link = *links_[i];
    const int happened = set_.happened(link_number_ + i) & (POLLIN | POLLHUP | POLLERR);
    if (!reads(link) || (happened == 0 && !link.may_have_more())) continue;
    try {
      if (!link.hear()) throw gone(link.stream().peer());
      tell_again_ = link.heard_again() || tell_again_;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::connect) throw;
      lose(link, std::current_exception());
    }
  }
}

void BundlePump::say_all() {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const std::size_t index = (turn_ + i) % links_.size();
    BundleLink& link = *links_[index];
    if (link.is_lost() || (set_.happened(link_number_ + index) & (POLLOUT | POLLERR)) == 0)
      continue;
    try {
      const BundleLink::Said said = link.say(in_seconds(now_), teller_ == &link);
      if (!said.record) continue;
      told_arrived_ = std::max(told_arrived_, said.arrived);
      told_at_ = now_;
      tell_again_ = false;
      const auto state = shared_.state.lock();
      state->told_limit = std::max(state->told_limit, said.limit);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::connect) throw;
      lose(link, std::current_exception());
    }
  }
  ++turn_;
  // There is room for more.
  shared_.state.wake_all();
}

void BundlePump::lose(BundleLink& link, std::exception_ptr why) {
  if (link.is_lost()) return;
  link.note_lost();
  const bool is_proven = link.is_proven();
  const bool is_first = link.number() == BundleLink::kFirst;
  bool aborts = link.reads();
  if (is_first) {
    const auto state = shared_.state.lock();
    const bool outlives = state->first_is_lost || state->outlives_first();
    // Also whoever reads it without records.
    aborts = aborts || outlives;
    if (outlives) state->lose_first();
  }
  // So that the other side finds it out as well.
  if (aborts) link.stream().abort();
  // The peer may not have heard what was told over this one.
  tell_again_ = true;
  const auto state = shared_.state.lock();
  // One that lasts finds another one as long as it may, unless it hears that this is no use.
  if (refused_ && !is_proven)
    *refused_ += link.is_refused() ? kMostRefused : state->patience ? 0 : 1;
  state->was_silent = false;
  if (why && (is_proven || !state->last_lost)) state->last_lost = std::move(why);
  state->out.lose(link.number());
  if (!is_first || !state->first_is_lost) --state->connections;
}

/// The peer says that it has lost them. A record that one of them took would wait until it is late,
/// and then for another one of them: that may go on for ever.
void BundlePump::lose_all() {
  for (const auto& link : links_) lose(*link, std::make_exception_ptr(gone(link->stream().peer())));
}

/// Whoever reads has heard nothing for too long, although there are connections.
void BundlePump::lose_silent() {
  const auto silence = std::exchange(shared_.state.lock()->silence, std::nullopt);
  if (!silence) return;
  for (const auto& link : links_) {
    if (link->heard_at() + std::chrono::duration<double>(*silence).count() > in_seconds(now_))
      continue;
    lose(*link,
         std::make_exception_ptr(
             Error(ErrorKind::connect,
                   "nothing heard from " + link->stream().peer() + " for " + seconds_text(*silence),
                   Hint::look_at_timeout, ": the other side or the network is gone")));
    shared_.state.lock()->was_silent = true;
  }
}

/// A peer has no more than it may: of one that is there too many it knows that it is lost.
void BundlePump::lose_longest_silent() {
  while (true) {
    if (links_.size() <= shared_.state.lock()->most_at_once) return;
    const auto longest = std::ranges::min_element(links_, {}, [](const auto& link) {
      return std::pair(link->is_proven() ? 0 : 1, link->heard_at());
    });
    lose(**longest, std::make_exception_ptr(gone((*longest)->stream().peer())));
    drop_lost();
  }
}

void BundlePump::drop_lost() {
  const auto lost = std::erase_if(links_, [](const auto& link) { return link->is_lost(); });
  if (lost != 0) {
    teller_ = nullptr;
    unsent_limit_ = 0;
    shared_.state.wake_all();
    shared_.changed->set();
  }
}

void BundlePump::measure() {
  if (!first_writes_ || now_ < measured_at_ + kMeasureAfter) return;
  measured_at_ = now_;
  std::uint64_t on_the_way = 0;
  std::uint64_t unsent = 0;
  std::uint64_t ahead = 0;
  double queue = 0;
  bool slow_start = false;
  double round_trip = 0;
  Delivery mean;
  const double part = 1 / static_cast<double>(std::max<std::size_t>(1, links_.size()));
  const bool answers_loss = shared_.state.lock()->answers_loss;
  for (const auto& link : links_) {
    if (answers_loss) link->answer_loss();
    const auto delivery = link->stream().delivery();
    if (!delivery) continue;
    on_the_way += link->written() - std::min(link->written(), delivery->arrived_bytes);
    if (link->note_arrived(delivery->arrived_bytes, now_)) arrived_at_ = now_;
    unsent += delivery->unsent_bytes;
    ahead += delivery->ahead_bytes;
    queue = std::max(queue, delivery->queue_seconds);
    slow_start = slow_start || delivery->in_slow_start;
    round_trip = std::max(round_trip, delivery->round_trip_seconds);
    mean.receive_window_seconds += delivery->receive_window_seconds * part;
    mean.send_buffer_seconds += delivery->send_buffer_seconds * part;
    mean.retransmitted_bytes += delivery->retransmitted_bytes;
  }
  std::size_t limit = 0;
  {
    const auto state = shared_.state.lock();
    state->on_the_way = on_the_way;
    state->unsent = unsent;
    state->ahead = ahead;
    state->queue_seconds = queue;
    state->in_slow_start = slow_start;
    state->round_trip_seconds = round_trip;
    state->receive_window_seconds = mean.receive_window_seconds;
    state->send_buffer_seconds = mean.send_buffer_seconds;
    state->retransmitted_bytes = mean.retransmitted_bytes;
    state->out.set_patience(std::max(kLateSeconds, kLateRoundTrips * round_trip));
    limit = state->unsent_limit;
  }
  if (limit != 0 && !links_.empty()) share_unsent_limit(limit / links_.size());
  lose_dead(longer_of(kDead, kDeadRoundTrips * round_trip));
}

/// The system finds out about them in a minute.
void BundlePump::lose_dead(milliseconds patience) {
  for (const auto& link : links_)
    if (arrived_at_ > link->moved_at() + patience)
      lose(*link, std::make_exception_ptr(
                      Error(ErrorKind::connect, "the connection to " + link->stream().peer() +
                                                    " is lost: nothing arrives over it")));
  drop_lost();
}

void BundlePump::share_unsent_limit(std::size_t limit) {
  limit = std::max(limit, kLeastUnsent);
  if (limit < 2 * unsent_limit_ && unsent_limit_ < 2 * limit) return;
  unsent_limit_ = limit;
  for (const auto& link : links_) link->stream().set_unsent_limit(limit);
}

}  // namespace adoc
