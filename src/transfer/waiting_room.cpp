#include "transfer/waiting_room.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "adoc/error.hpp"
#include "adoc/options.hpp"
#include "pipeline/keep_alive_pace.hpp"
#include "transfer/farewell.hpp"
#include "transfer/overheard.hpp"
#include "transfer/peer_error.hpp"
#include "wire/frame.hpp"
#include "wire/keep_alive.hpp"
#include "wire/outcome.hpp"
#include "wire/place.hpp"

namespace adoc {

namespace {
/// Of one sender; then others have their turn.
constexpr int kReadsAtOnce = 8;

constexpr const char* kLeft = "it left while it waited for its turn";

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}
}  // namespace

struct WaitingRoom::Waiter {
  std::unique_ptr<SocketStream> stream{};
  Overheard overheard{};
  Bytes unsaid{};
  std::uint64_t said_bytes = kHelloBytes;  ///< with the hello that it had before
  KeepAlivePace pace{};
  Clock::time_point entered = Clock::now();
  Clock::time_point heard_at = entered;
  Clock::time_point said_at = entered;
  std::optional<QueuePlace> told{};
  bool more = false;   ///< may be here, although the socket does not tell
  bool ended = false;  ///< it says no more
  bool queued = false;
  bool gone = false;

  [[nodiscard]] bool has(Feature feature) const noexcept {
    return overheard.hello() && overheard.hello()->has(feature);
  }
  /// What it says is read as long as there is room for it.
  [[nodiscard]] bool is_read() const noexcept { return !ended && overheard.room() != 0; }
};

WaitingRoom::WaitingRoom(Setup setup)
    : setup_(std::move(setup)),
      keep_alive_(encode_frame(KeepAlive{})),
      served_(encode_frame(QueuePlace{})) {}
WaitingRoom::~WaitingRoom() = default;

void WaitingRoom::enter(std::unique_ptr<SocketStream> stream) noexcept {
  try {
    // So that nobody has to be turned away for lack of room in the queue.
    queue_.reserve(waiters_.size() + 1);
    auto waiter = std::make_unique<Waiter>();
    waiter->stream = std::move(stream);
    waiters_.push_back(std::move(waiter));
    // TLS may have read more than its handshake: the socket would not tell.
    attend(*waiters_.back(), POLLIN);
    clear_out();
  } catch (const std::exception&) {
    // It sees a connection that was closed.
  }
}

/// When it has been silent or idle for too long, if ever.
std::optional<Clock::time_point> WaitingRoom::deadline(const Waiter& waiter) const {
  const bool has_limit = setup_.timeout.count() != 0;
  if (!waiter.overheard.hello()) {
    const std::chrono::milliseconds limit(kHelloTimeout);
    return waiter.entered + (has_limit ? std::min(limit, setup_.timeout) : limit);
  }
  std::optional<Clock::time_point> deadline;
  if (has_limit && waiter.has(Feature::keep_alive) && waiter.is_read())
    deadline = waiter.heard_at + setup_.timeout;
  // Where there is no room for others, those who want nothing yet do not keep them out.
  if (is_full() && !waiter.queued)
    deadline = std::min(deadline.value_or(Clock::time_point::max()),
                        waiter.entered + (has_limit ? setup_.timeout : kDefaultTimeout));
  return deadline;
}

void WaitingRoom::watch(PollSet& set) {
  watched_ = waiters_.size();
  for (std::size_t i = 0; i < watched_; ++i) {
    const Waiter& waiter = *waiters_[i];
    // Also of one that is not read any more it shows when it goes.
    const int events =
        POLLRDHUP | (waiter.is_read() ? POLLIN : 0) | (waiter.unsaid.empty() ? 0 : POLLOUT);
    const std::size_t number =
        set.add(waiter.ended && waiter.unsaid.empty() ? -1 : waiter.stream->fd(),
                static_cast<short>(events));
    if (i == 0) number_ = number;
    if (waiter.more) set.wake_at(waiter.heard_at);
    if (const auto until = deadline(waiter)) set.wake_at(*until);
    if (const auto interval = waiter.pace.interval()) set.wake_at(waiter.said_at + *interval);
  }
}

void WaitingRoom::attend(const PollSet& set) noexcept {
  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < watched_; ++i) {
    Waiter& waiter = *waiters_[i];
    try {
      const int happened = set.happened(number_ + i) | (waiter.more ? POLLIN : 0);
      if (happened != 0) attend(waiter, static_cast<short>(happened));
      if (waiter.gone) continue;
      const auto interval = waiter.pace.interval();
      if (interval && waiter.said_at + *interval <= now && waiter.unsaid.empty())
        say(waiter, keep_alive_);
      if (const auto until = deadline(waiter); until && *until <= now)
        throw Error(ErrorKind::connect, "it was silent or had nothing to send for too long");
    } catch (...) {
      send_away(waiter, std::current_exception());
    }
  }
  clear_out();
}

void WaitingRoom::attend(Waiter& waiter, short happened) {
  try {
    if ((happened & POLLOUT) != 0) flush(waiter);
    if ((happened & (POLLIN | POLLRDHUP | POLLHUP | POLLERR)) != 0 && waiter.is_read())
      hear(waiter);
  } catch (...) {
    const auto failure = std::current_exception();
    if (waiter.queued && is_lost_connection(failure))
      leave(waiter, kLeft);
    else
      send_away(waiter, failure);
    return;
  }
  if (joins(waiter)) return;
  // One that has said something and its end may be served, if at once: it is told what was wrong
  // with that. One that waits and goes has given up.
  const bool hung_up = waiter.ended || (happened & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  if (hung_up && waiter.queued && waiter.told) {
    leave(waiter, kLeft);
    return;
  }
  if (!waiter.queued && waiter.overheard.hello() && (waiter.overheard.has_begun() || hung_up)) {
    waiter.queued = true;
    queue_.push_back(&waiter);
  }
}

// It is no sender of its own, and needs no turn. One that cannot join hears nothing: it takes what
// comes for records. One that tries as long as it may must know that this is no use, and that the
// connection was not cut: an error frame is no record.
bool WaitingRoom::joins(Waiter& waiter) {
  try {
    const auto join = waiter.overheard.join();
    if (!join) return waiter.overheard.is_joining();
    const ByteSpan behind = waiter.overheard.behind_join();
    JoiningStream joining{.stream = std::move(waiter.stream),
                          .heard = Bytes(behind.begin(), behind.end()),
                          .replaces = waiter.has(Feature::rejoins)};
    waiter.gone = setup_.join && setup_.join(join->token, joining);
    if (waiter.gone) return true;
    waiter.stream = std::move(joining.stream);
    constexpr const char* kNoTransfer = "it is of no transfer that lets it join";
    const ErrorFrame error{static_cast<std::uint8_t>(ErrorKind::connect), kNoTransfer};
    leave(waiter, kNoTransfer, waiter.has(Feature::rejoins) ? encode_frame(error) : Bytes());
  } catch (const std::exception& error) {
    if (waiter.stream)
      leave(waiter, error.what());
    else
      waiter.gone = true;
  }
  return true;
}

void WaitingRoom::hear(Waiter& waiter) {
  std::array<std::byte, 16 << 10> buffer{};
  waiter.more = false;
  // Keep-alives take no room, and of those there may be any number.
  for (int i = 0; waiter.is_read(); ++i) {
    if (i == kReadsAtOnce) {
      waiter.more = true;
      return;
    }
    const auto room = std::span(buffer).first(std::min(buffer.size(), waiter.overheard.room()));
    const auto got = waiter.stream->read_now(room);
    if (!got) return;
    waiter.heard_at = Clock::now();
    if (*got == 0) {
      waiter.ended = true;
      if (!waiter.overheard.hello())
        throw Error(ErrorKind::connect, "it closed the connection without a hello");
      return;
    }
    const bool knew = waiter.overheard.hello().has_value();
    waiter.overheard.add(ByteSpan(buffer).first(*got));
    if (!knew && waiter.overheard.hello()) waiter.pace.follow(*waiter.overheard.hello());
  }
}

void WaitingRoom::say(Waiter& waiter, ByteSpan words) {
  waiter.unsaid.insert(waiter.unsaid.end(), words.begin(), words.end());
  flush(waiter);
}

void WaitingRoom::flush(Waiter& waiter) {
  while (!waiter.unsaid.empty()) {
    const ByteSpan words = waiter.unsaid;
    const auto said = waiter.stream->write_now({&words, 1});
    if (!said) return;
    waiter.said_at = Clock::now();
    waiter.said_bytes += *said;
    waiter.unsaid.erase(waiter.unsaid.begin(),
                        waiter.unsaid.begin() + static_cast<std::ptrdiff_t>(*said));
  }
}

void WaitingRoom::tell_places(std::size_t transfers) noexcept {
  bool some_left = false;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    Waiter& waiter = *queue_[i];
    const QueuePlace place{.position = i + 1, .transfers = transfers};
    // The next thing that it is told is where it is then, not where it was.
    if (waiter.told == place || !waiter.unsaid.empty()) continue;
    try {
      waiter.told = place;
      if (waiter.ended) throw Error(ErrorKind::connect, kLeft);
      if (waiter.has(Feature::places)) say(waiter, encode_frame(place));
    } catch (...) {
      send_away(waiter, std::current_exception());
      some_left = true;
    }
  }
  if (some_left) clear_out();
}

void WaitingRoom::send_all_away(const std::exception_ptr& why, std::size_t transfers) noexcept {
  for (const auto& waiter : waiters_) {
    if (!waiter->overheard.hello()) continue;
    try {
      // A hello may have come with an end, and then this is not heard.
      if (waiter->has(Feature::places) && waiter->unsaid.empty())
        say(*waiter, encode_frame(QueuePlace{.position = 0, .transfers = transfers}));
    } catch (...) {
      // It is gone, or there is no memory: it sees a connection that was closed.
    }
    send_away(*waiter, why);
  }
  clear_out();
}

// One for whom there is no memory fails, and the next one has its turn.
std::optional<Turn> WaitingRoom::take() noexcept {
  while (!queue_.empty()) {
    Waiter& waiter = *queue_.front();
    std::optional<Turn> turn;
    try {
      turn = turn_of(waiter);
      waiter.gone = true;
    } catch (...) {
      send_away(waiter, std::current_exception());
    }
    clear_out();
    if (turn) return turn;
  }
  return std::nullopt;
}

Turn WaitingRoom::turn_of(Waiter& waiter) const {
  if (waiter.told && waiter.has(Feature::places))
    waiter.unsaid.insert(waiter.unsaid.end(), served_.begin(), served_.end());
  Turn turn;
  turn.dropped_bytes = waiter.overheard.dropped_bytes();
  turn.heard = std::move(waiter.overheard).take();
  turn.unsaid = std::move(waiter.unsaid);
  turn.said_bytes = waiter.said_bytes;
  turn.stream = std::move(waiter.stream);
  return turn;
}

// What it is told goes behind nothing that is half said: the rest of that would be taken for it.
void WaitingRoom::send_away(Waiter& waiter, const std::exception_ptr& why) noexcept {
  waiter.gone = true;
  const bool hears = waiter.unsaid.empty();
  try {
    const auto said = in_words(why, setup_.words);
    const std::string text = text_of(said);
    const Bytes words = hears ? last_words(said) : Bytes();
    setup_.send_away(std::move(waiter.stream), text, words);
  } catch (const std::exception&) {
    const ByteSpan words = hears ? words_of_no_memory() : ByteSpan();
    setup_.send_away(std::move(waiter.stream), kOutOfMemory, words);
  }
}

void WaitingRoom::leave(Waiter& waiter, std::string_view why, ByteSpan last_words) noexcept {
  waiter.gone = true;
  setup_.send_away(std::move(waiter.stream), why, last_words);
}

void WaitingRoom::clear_out() noexcept {
  std::erase_if(queue_, [](const Waiter* waiter) { return waiter->gone; });
  std::erase_if(waiters_, [](const auto& waiter) { return waiter->gone; });
}

}  // namespace adoc
