#include <algorithm>
#include <cstring>
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

}  // namespace

std::size_t StreamBundle::write_some(std::span<const ByteSpan> pieces) {
  if (writes_records_) return write_records(pieces);
  if (wants_split_ && border_.is_here()) {
    split();
    return write_records(pieces);
  }
  return write_plain(pieces);
}

std::size_t StreamBundle::write_plain(std::span<const ByteSpan> pieces) {
  const ByteSpan first = pieces.front();
  const ByteSpan to_border = first.first(border_.next_in(first));
  // Where a frame ends records may begin.
  const std::size_t written =
      wants_split_ ? first_.write_some({&to_border, 1}) : first_.write_some(pieces);
  plain_bytes_ += written;
  std::size_t left = written;
  for (const ByteSpan piece : pieces) {
    const std::size_t passed = std::min(left, piece.size());
    border_.pass(piece.first(passed));
    left -= passed;
    if (left == 0) break;
  }
  return written;
}

void StreamBundle::split() {
  shared_.out.make(shared_.buffer);
  first_.write_all(encode_frame(Split{}));
  {
    const auto state = shared_.state.lock();
    state->plain_bytes = plain_bytes_;
    state->writes_records = true;
    state->is_lent = true;
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
  std::size_t room = room_for_records();
  if (room == 0) lost();
  std::uint64_t place = shared_.state.lock()->out.given();
  std::size_t given = 0;
  for (ByteSpan piece : pieces) {
    piece = piece.first(std::min(piece.size(), room));
    room -= piece.size();
    given += piece.size();
    while (!piece.empty()) {
      const auto into = shared_.out.at(place, piece.size());
      std::memcpy(into.data(), piece.data(), into.size());
      place += into.size();
      piece = piece.subspan(into.size());
    }
  }
  shared_.state.lock()->out.give(given);
  shared_.changed->set();
  return given;
}

void StreamBundle::finish_writing() noexcept { finish_within(kBundleFinish); }

// Until the peer has all of it: what a connection that dies had taken is needed once more.
void StreamBundle::finish_within(std::chrono::milliseconds limit) noexcept {
  if (!writes_records_) {
    first_.finish_writing();
    return;
  }
  shared_.state.lock()->out.finish();
  shared_.changed->set();
  auto state = shared_.state.lock();
  while (true) {
    const std::uint64_t before = state->out.arrived();
    const auto ends = [&] { return state->out.all_arrived() || state->aborted || state->is_over; };
    const auto wait = state->stopping ? std::min(limit, kBundleGrace) : limit;
    const bool moved = state.wait_until(Clock::now() + wait,
                                        [&] { return ends() || state->out.arrived() != before; });
    if (!moved || ends()) return;
  }
}

void StreamBundle::begin_records(ByteSpan behind) {
  bool begins = false;
  {
    const auto state = shared_.state.lock();
    if (reads_records_ || state->most_at_once < 2)
      broken_protocol("a split came that was not to come");
    state->heard.assign(behind.begin(), behind.end());
    state->reads_records = true;
    state->is_lent = true;
    begins = has_begun(*state);
  }
  reads_records_ = true;
  if (begins) start_thread();
  if (!splits_) wants_split_ = true;
  shared_.changed->set();
}

std::size_t StreamBundle::read_some(std::span<std::byte> into) {
  if (!reads_records_) return first_.read_some(into);
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
      in_time = state.wait_until(until, is_ready);
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
