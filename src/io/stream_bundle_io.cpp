#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "adoc/error.hpp"
#include "io/stream_bundle.hpp"
#include "util/seconds_text.hpp"
#include "wire/broken_protocol.hpp"
#include "wire/frame.hpp"
#include "wire/streams.hpp"

// What the threads do that read and write.
namespace adoc {

namespace {

/// For what is written once nobody waits any more.
constexpr std::chrono::milliseconds kBundleGrace{400};
/// For the peer to take what is left of a direction, as long as it takes none of it.
constexpr std::chrono::milliseconds kBundleFinish{10'000};
/// Where more is on its way than is kept, more is kept; unless room is made within so short a time:
/// then the peer is about to say what it has read.
constexpr std::chrono::milliseconds kSoonRead{10};
/// Records may come, and no frames: of a limit on silence, after which part it is looked again.
constexpr int kLooksInSilence = 8;

std::size_t size_of(std::span<const ByteSpan> pieces) noexcept {
  std::size_t size = 0;
  for (const ByteSpan piece : pieces) size += piece.size();
  return size;
}

}  // namespace

std::size_t StreamBundle::write_some(std::span<const ByteSpan> pieces) {
  if (writes_records()) return write_records(pieces);
  if (wants_split_ && border_.is_here()) {
    split();
    return write_records(pieces);
  }
  return write_plain(pieces);
}

/// Others change this side's direction as well, when the first connection is lost.
bool StreamBundle::writes_records() {
  if (!writes_records_ && shared_.state.lock()->writes_records) writes_records_ = true;
  return writes_records_;
}

std::size_t StreamBundle::write_plain(std::span<const ByteSpan> pieces) {
  ByteSpan first = pieces.front();
  // Where a frame ends records may begin.
  if (wants_split_) {
    first = first.first(border_.next_in(first));
    pieces = {&first, 1};
  }
  const std::size_t room = begin_plain(size_of(pieces));
  if (writes_records_) return write_records(pieces);
  if (room < size_of(pieces)) {
    first = first.first(std::min(first.size(), room));
    pieces = {&first, 1};
  }
  std::size_t written = 0;
  try {
    written = first_.write_some(pieces);
    end_plain(pieces, written);
  } catch (const Error& error) {
    // The peer may have got any of it.
    written = size_of(pieces);
    end_plain(pieces, written);
    if (error.kind() != ErrorKind::connect || !outlives_failed_write(std::current_exception()))
      throw;
  }
  std::size_t left = written;
  for (const ByteSpan piece : pieces) {
    const std::size_t passed = std::min(left, piece.size());
    border_.pass(piece.first(passed));
    left -= passed;
    if (left == 0) break;
  }
  return written;
}

/// So much of what is wanted may be written now.
std::size_t StreamBundle::begin_plain(std::size_t wanted) {
  std::size_t kept = 0;
  {
    auto state = shared_.state.lock();
    if (state->keeps) {
      kept = shared_.out.size();
      wanted = std::min(wanted, kept);
    }
    const auto fits = [&] {
      return !state->keeps || state->writes_records || state->first_is_lost || state->stopping ||
             state->aborted || state->out.has_room_to_keep(wanted);
    };
    if (kept == shared_.buffer || !may_keep_more_ ||
        state.wait_until(Clock::now() + kSoonRead, fits))
      kept = 0;
    writes_records_ = state->writes_records;
    if (writes_records_) return 0;
    state->writing = kept != 0 ? 0 : wanted;
  }
  if (kept == 0) return wanted;
  keep_more(std::min(2 * kept, shared_.buffer));
  const auto state = shared_.state.lock();
  state->writing = wanted;
  if (!state->first_is_lost) return wanted;
  state->end_writing();
  writes_records_ = true;
  return 0;
}

/// While `writing` says that nobody else needs what is kept.
void StreamBundle::keep_more(std::size_t bytes) noexcept {
  try {
    const std::uint64_t given = shared_.state.lock()->out.given();
    shared_.out.grow(bytes, given);
    shared_.state.lock()->out.keep(bytes);
  } catch (const std::bad_alloc&) {
    // It keeps what it can.
    may_keep_more_ = false;
  }
}

/// These were written, which is kept where the peer may not get it.
void StreamBundle::end_plain(std::span<const ByteSpan> pieces, std::size_t written) {
  std::optional<std::uint64_t> place;
  {
    const auto state = shared_.state.lock();
    if (state->keeps) place = state->out.given();
  }
  if (place) keep(*place, pieces, written);
  {
    const auto state = shared_.state.lock();
    state->plain_bytes += written;
    if (state->keeps) {
      state->out.give_sent(written);
      const std::uint64_t arrived = std::min(state->told_arrived, state->out.given());
      state->out.hear(arrived, arrived + state->peer_window);
    }
    state->end_writing();
  }
}

/// Writes them to where they are sent again from.
void StreamBundle::keep(std::uint64_t place, std::span<const ByteSpan> pieces, std::size_t bytes) {
  for (ByteSpan piece : pieces) {
    piece = piece.first(std::min(piece.size(), bytes));
    bytes -= piece.size();
    while (!piece.empty()) {
      const auto into = shared_.out.at(place, piece.size());
      std::memcpy(into.data(), piece.data(), into.size());
      place += into.size();
      piece = piece.subspan(into.size());
    }
  }
}

// The thread that reads finds it out, too, and reads first what has come: the peer may have said
// why it went.
bool StreamBundle::outlives_failed_write(const std::exception_ptr& why) {
  {
    auto state = shared_.state.lock();
    static_cast<void>(state.wait_until(Clock::now() + kBundleGrace, [&] {
      return state->writes_records || !state->outlives_first();
    }));
    if (state->writes_records) return true;
  }
  return outlives_first(why, false);
}

bool StreamBundle::outlives_first(const std::exception_ptr& why, bool was_silent) {
  bool begins = false;
  {
    const auto state = shared_.state.lock();
    if (!state->first_is_lost) {
      if (!state->outlives_first()) return false;
      state->lose_first();
      state->last_lost = why;
      state->was_silent = was_silent;
    }
    begins = has_begun(*state);
  }
  // So that the other side finds it out as well, and whoever writes.
  first_.abort();
  if (begins) start_thread();
  shared_.state.wake_all();
  wake_thread();
  return true;
}

void StreamBundle::split() {
  const Bytes frame = encode_frame(Split{});
  if (shared_.state.lock()->keeps) {
    for (ByteSpan rest = frame; !rest.empty();) rest = rest.subspan(write_plain({&rest, 1}));
  } else {
    first_.write_all(frame);
  }
  bool is_early = false;
  {
    const auto state = shared_.state.lock();
    is_early = !state->writes_records;
    if (is_early) state->writing = 0;
  }
  // A path over which others join is long.
  if (is_early && !shared_.out.is_made())
    shared_.out.make(shared_.buffer);
  else if (is_early && shared_.out.size() < shared_.buffer)
    keep_more(shared_.buffer);
  {
    const auto state = shared_.state.lock();
    if (is_early) state->end_writing();
    state->writes_records = true;
    if (!state->first_is_lost) state->is_lent = true;
  }
  writes_records_ = true;
  shared_.changed->set();
}

/// Waits for some; none once nobody waits any more and the time is over.
std::size_t StreamBundle::room_for_records() {
  auto state = shared_.state.lock();
  const auto ends = [&] { return state->aborted || state->is_over; };
  state.wait([&] { return ends() || state->stopping || state->out.room() != 0; });
  if (state->stopping)
    static_cast<void>(state.wait_until(Clock::now() + kBundleGrace,
                                       [&] { return ends() || state->out.room() != 0; }));
  return ends() ? 0 : state->out.room();
}

std::size_t StreamBundle::write_records(std::span<const ByteSpan> pieces) {
  const std::size_t room = room_for_records();
  if (room == 0) lost();
  const std::size_t given = std::min(size_of(pieces), room);
  keep(shared_.state.lock()->out.given(), pieces, given);
  shared_.state.lock()->out.give(given);
  shared_.changed->set();
  return given;
}

void StreamBundle::finish_writing() noexcept { finish_within(kBundleFinish); }

// Until the peer has all of it: what a connection that dies had taken is needed once more.
void StreamBundle::finish_within(std::chrono::milliseconds limit) noexcept {
  if (finish_plain()) return;
  shared_.state.lock()->out.finish();
  shared_.changed->set();
  auto state = shared_.state.lock();
  while (true) {
    const std::uint64_t before = state->out.arrived();
    const auto ends = [&] { return state->out.all_arrived() || state->aborted || state->is_over; };
    const auto wait = state->stopping ? std::min(limit, kBundleGrace) : limit;
    const bool moved = state.wait_until(Clock::now() + wait,
                                        [&] { return ends() || state->out.arrived() != before; });
    if (ends()) return;
    // Who waits for ever may be silent for as long.
    const bool has_limit = state->patience && state->patience->count() != 0;
    if (!moved && (!has_limit || !outlasts_silence(*state, wait))) return;
  }
}

bool StreamBundle::finish_plain() noexcept {
  {
    const auto state = shared_.state.lock();
    if (writes_records_ || state->writes_records) {
      writes_records_ = true;
      return false;
    }
    if (state->keeps) state->out.finish_sent();
  }
  first_.finish_writing();
  return true;
}

bool StreamBundle::begin_records(ByteSpan behind) {
  bool begins = false;
  {
    const auto state = shared_.state.lock();
    // The first one was lost before all of it was read.
    if (reads_records_ && state->first_is_lost && !std::exchange(heard_split_, true)) return false;
    if (reads_records_ || (state->most_at_once < 2 && !state->first_is_lost))
      broken_protocol("a split came that was not to come");
    heard_split_ = true;
    if (state->keeps) state->in.begin_at(heard_bytes_ - behind.size());
    state->heard.assign(behind.begin(), behind.end());
    state->reads_records = true;
    if (!state->first_is_lost) state->is_lent = true;
    begins = has_begun(*state);
  }
  reads_records_ = true;
  if (begins) start_thread();
  if (!splits_) wants_split_ = true;
  shared_.changed->set();
  return true;
}

std::optional<std::size_t> StreamBundle::read_plain(std::span<std::byte> into) {
  std::exception_ptr why;
  bool was_silent = false;
  try {
    const std::size_t got = first_.read_some(into);
    heard_bytes_ += got;
    if (got != 0 || !shared_.state.lock()->outlives_first()) return got;
    why = std::make_exception_ptr(
        Error(ErrorKind::connect,
              "the connection to " + peer() + " is lost: the other side went away before its end"));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::connect) throw;
    why = std::current_exception();
    was_silent = error.hint() == Hint::look_at_timeout;
  }
  if (!outlives_first(why, was_silent)) std::rethrow_exception(why);
  if (before_records_) before_records_();
  {
    const auto state = shared_.state.lock();
    state->in.begin_at(heard_bytes_);
    state->reads_records = true;
  }
  reads_records_ = true;
  wake_thread();
  return std::nullopt;
}

std::size_t StreamBundle::read_some(std::span<std::byte> into) {
  if (!reads_records_)
    if (const auto got = read_plain(into)) return *got;
  return read_records(
      into, read_timeout_.count() != 0 ? Clock::now() + read_timeout_ : Clock::time_point::max());
}

/// Waits for some; none at the end, and once nothing is waited for any more.
std::size_t StreamBundle::readable(Clock::time_point until) {
  auto state = shared_.state.lock();
  const auto is_ready = [&] {
    return state->in.readable() != 0 || state->in.at_end() || state->stopping || state->aborted ||
           state->is_over;
  };
  if (!is_ready()) {
    const Clock::time_point begin = Clock::now();
    // The end of all time is more than some systems can wait for.
    bool in_time = true;
    if (until == Clock::time_point::max())
      state.wait(is_ready);
    else
      while (!(in_time = state.wait_until(until, is_ready)) &&
             outlasts_silence(*state, read_timeout_))
        until = Clock::now() + read_timeout_ / kLooksInSilence;
    waited_ += Clock::now() - begin;
    if (!in_time) silent();
  }
  if (state->in.readable() != 0) return static_cast<std::size_t>(state->in.readable());
  if (state->in.at_end()) return 0;
  // Before a stop: it may be the thread that writes which has found out that all is over.
  if (state->failure) std::rethrow_exception(state->failure);
  if (state->stopping || state->aborted) return 0;
  lost();
}

bool StreamBundle::outlasts_silence(BundleState& state, std::chrono::milliseconds silence) {
  if (lingers_ || state.stopping || !state.patience || !state.reads_records ||
      !state.writes_records)
    return false;
  if (state.connections != 0) {
    state.silence = silence;
    shared_.changed->set();
  }
  return true;
}

std::size_t StreamBundle::read_records(std::span<std::byte> into, Clock::time_point until) {
  const std::size_t count = std::min(readable(until), into.size());
  if (count == 0) return 0;
  std::uint64_t place = shared_.state.lock()->in.read_place();
  for (std::span<std::byte> rest = into.first(count); !rest.empty();) {
    const auto from = shared_.in.at(place, rest.size());
    std::memcpy(rest.data(), from.data(), from.size());
    place += from.size();
    rest = rest.subspan(from.size());
  }
  bool tells = false;
  {
    const auto state = shared_.state.lock();
    state->in.read(count);
    tells = state->in.limit() - state->told_limit >= shared_.window / 4;
  }
  if (tells) shared_.changed->set();
  return count;
}

void StreamBundle::linger(std::chrono::milliseconds limit) noexcept {
  const Clock::time_point until = Clock::now() + limit;
  lingers_ = true;
  finish_within(limit);
  if (!reads_records_) {
    first_.linger(
        std::max(std::chrono::milliseconds(0),
                 std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now())));
    return;
  }
  shared_.state.lock()->stopping = false;
  std::array<std::byte, 16 << 10> ignored{};
  try {
    while (Clock::now() < until && read_records(ignored, until) != 0) {
    }
  } catch (...) {
    // There is nobody to tell.
  }
}

void StreamBundle::lost() const {
  throw Error(ErrorKind::connect, "the connection to " + peer() + " is lost");
}

void StreamBundle::silent() const {
  throw Error(ErrorKind::connect,
              "nothing heard from " + peer() + " for " + seconds_text(read_timeout_),
              Hint::look_at_timeout, ": the other side or the network is gone");
}

}  // namespace adoc
