#include "io/gate.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "adoc/error.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"

namespace adoc {

namespace {

using std::chrono::milliseconds;

/// For reading why we part; who does not take it goes without.
constexpr milliseconds kFarewell{1'000};

/// What is lacking for the next connection is waited for so long.
constexpr milliseconds kLacking{100};

/// Taken at a time, so that those who are here are attended to in between.
constexpr int kArrivals = 16;

const Error& encrypts_only() {
  static const Error kError(ErrorKind::refused, "this receiver takes only encrypted transfers",
                            Hint::encrypt_here_or_neither);
  return kError;
}

Bytes error_frame(ErrorKind kind, std::string_view why) {
  return encode_frame(ErrorFrame{static_cast<std::uint8_t>(kind), std::string(why)});
}

/// Few bytes, for which a socket has room that nothing was written to yet.
void say(SocketStream& stream, ByteSpan words) {
  while (!words.empty()) {
    const auto said = stream.write_now({&words, 1});
    if (!said) throw Error(ErrorKind::connect, "it takes nothing that it is told");
    words = words.subspan(*said);
  }
}

}  // namespace

/// A connection that is not let in yet.
struct Gate::Guest {
  enum class State {
    leaving,   ///< was told why, or nothing
    unproven,  ///< anybody
    answered,  ///< has said something that was made with the key, which may be a recording
    gone
  };

  std::unique_ptr<TcpStream> plain{};       ///< until it turns out to speak TLS, or for ever
  std::unique_ptr<TlsStream> tls{};         ///< in its handshake
  std::unique_ptr<SocketStream> let_out{};  ///< was let in before
  std::string peer{};
  Source source{};
  State state = State::unproven;
  short waits_for = POLLIN | POLLRDHUP;
  Clock::time_point until{};
  std::optional<std::uint64_t> random{};  ///< of its ClientHello

  /// Null once it was passed on.
  [[nodiscard]] SocketStream* stream() const noexcept {
    if (let_out) return let_out.get();
    if (tls) return tls.get();
    return plain.get();
  }
};

Gate::Gate(Setup setup) : setup_(std::move(setup)) { guests_.reserve(setup_.most_guests + 1); }
Gate::~Gate() = default;

std::unique_ptr<SocketStream> Gate::take() noexcept {
  if (let_in_.empty()) return nullptr;
  auto stream = std::move(let_in_.front());
  let_in_.pop_front();
  return stream;
}

void Gate::watch(PollSet& set, bool accepts) {
  if (accepts && Clock::now() < accepts_at_) {
    accepts = false;
    set.wake_at(accepts_at_);
  }
  listener_number_ = set.add(accepts ? setup_.listener.fd() : -1, POLLIN);
  const bool takes_reverse = accepts && setup_.reverse != nullptr;
  reverse_number_ = set.add(takes_reverse ? setup_.reverse->fd() : -1, POLLIN);
  watched_guests_ = guests_.size();
  for (std::size_t i = 0; i < watched_guests_; ++i) {
    const std::size_t number = set.add(guests_[i]->stream()->fd(), guests_[i]->waits_for);
    if (i == 0) guest_number_ = number;
    set.wake_at(guests_[i]->until);
  }
}

void Gate::attend(const PollSet& set) {
  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < watched_guests_; ++i) {
    Guest& guest = *guests_[i];
    if (const short happened = set.happened(guest_number_ + i); happened != 0)
      attend(guest, happened);
    if (guest.state == Guest::State::gone || now < guest.until) continue;
    if (guest.state != Guest::State::leaving) refuse(guest, "it said too little in time");
    guest.state = Guest::State::gone;
  }
  std::erase_if(guests_, [](const GuestPtr& guest) { return guest->state == Guest::State::gone; });
  if (set.happened(listener_number_) != 0) take_arrivals();
  if (set.happened(reverse_number_) != 0) take_reverse();
}

void Gate::take_arrivals() {
  for (int i = 0; i < kArrivals; ++i) {
    TcpListener::Arrival arrival = setup_.listener.accept_now();
    if (arrival.later) accepts_at_ = Clock::now() + kLacking;
    if (!arrival.stream) return;
    try {
      take_in(std::move(arrival));
    } catch (const std::exception&) {
      // It is closed: gone already, or there is no memory for it.
    }
  }
}

void Gate::take_reverse() {
  while (auto stream = setup_.reverse->take_now()) try {
      take_in({.stream = std::move(stream)});
    } catch (const std::exception&) {
      // It is closed, as above.
    }
}

void Gate::take_in(TcpListener::Arrival arrival) {
  make_room();
  auto guest = std::make_unique<Guest>();
  guest->plain = std::move(arrival.stream);
  guest->peer = guest->plain->peer();
  guest->source = arrival.source;
  guest->until = Clock::now() + setup_.patience;
  // Where nothing is encrypted a hello may be what the other side waits for, and it tells one that
  // would encrypt why that does not work.
  if (setup_.context == nullptr) {
    try {
      say(*guest->plain, setup_.greeting);
    } catch (const Error& error) {
      refuse(*guest, words_of(error));
      return;
    }
  }
  guests_.push_back(std::move(guest));
}

// Whoever has the key proves it at once, so the oldest is the least loss: of the address with the
// most, so that one address cannot drive away the guests of another. Those that were answered wait
// for nothing but the way there and back; they are spared while they leave half of that room.
void Gate::make_room() {
  if (guests_.size() < setup_.most_guests) return;
  const auto leaving = std::ranges::find(guests_, Guest::State::leaving,
                                         [](const GuestPtr& guest) { return guest->state; });
  if (leaving != guests_.end()) {
    guests_.erase(leaving);
    return;
  }
  const Source source = with_most_guests();
  const auto is = [&](Guest::State state) {
    return [&source, state](const GuestPtr& guest) {
      return guest->source == source && guest->state == state;
    };
  };
  const auto answered = std::ranges::count_if(guests_, is(Guest::State::answered));
  const auto unproven = std::ranges::count_if(guests_, is(Guest::State::unproven));
  const auto least = std::ranges::find_if(
      guests_, is(answered > unproven ? Guest::State::answered : Guest::State::unproven));
  refuse(**least, "it had to make room for others");
  guests_.erase(least);
}

Source Gate::with_most_guests() const {
  Source most{};
  std::ptrdiff_t most_guests = 0;
  for (const GuestPtr& guest : guests_) {
    const auto guests = std::ranges::count_if(
        guests_, [&](const GuestPtr& other) { return other->source == guest->source; });
    if (guests <= most_guests) continue;
    most = guest->source;
    most_guests = guests;
  }
  return most;
}

// Whatever is lacking concerns this one alone, memory for the words as well.
void Gate::attend(Guest& guest, short happened) noexcept {
  try {
    try {
      hear(guest, happened);
    } catch (const Error& error) {
      end(guest, error);
    }
  } catch (const std::exception& error) {
    if (guest.state != Guest::State::leaving) refuse(guest, error.what());
    guest.state = Guest::State::gone;
  }
}

void Gate::hear(Guest& guest, short happened) {
  if (guest.state == Guest::State::leaving) {
    std::array<std::byte, 64 << 10> ignored{};
    SocketStream& stream = guest.tls ? guest.tls->tcp() : *guest.stream();
    if (stream.read_now(ignored).value_or(1) == 0) guest.state = Guest::State::gone;
  } else if (guest.tls) {
    shake_hands(guest);
  } else {
    begin(guest, (happened & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
  }
}

void Gate::end(Guest& guest, const Error& error) {
  const bool leaves = guest.state == Guest::State::leaving;
  if (error.kind() == ErrorKind::refused && !leaves && guest.stream() != nullptr) {
    part(guest, words_of(error));
    return;
  }
  if (!leaves) refuse(guest, words_of(error));
  guest.state = Guest::State::gone;
}

/// The first byte tells what is spoken.
void Gate::begin(Guest& guest, bool all_is_here) {
  std::array<std::byte, kHelloBytes> start{};
  const auto came = guest.plain->peek_now(start);
  if (!came) return;
  const ByteSpan said = ByteSpan(start).first(*came);
  if (said.empty()) throw Error(ErrorKind::connect, "it closed the connection without a word");
  if (setup_.context != nullptr && starts_like_tls(said)) {
    if (begin_tls(guest, all_is_here)) shake_hands(guest);
    return;
  }
  if (said.size() < kHelloBytes && starts_like_hello(said) && setup_.context == nullptr) {
    if (all_is_here) throw Error(ErrorKind::connect, "it closed the connection in its hello");
    guest.plain->wake_from(kHelloBytes);
    return;
  }
  if (setup_.context == nullptr) {
    begin_plain(guest, said);
    return;
  }
  if (!starts_like_hello(said)) {
    part(guest, "it does not speak AdOC");
    return;
  }
  // A hello first: a sender takes what comes before it for another protocol.
  Bytes words = setup_.greeting;
  const Bytes why = error_frame(ErrorKind::refused, words_of(encrypts_only()));
  words.insert(words.end(), why.begin(), why.end());
  part(guest, words_of({ErrorKind::refused, "it does not encrypt", Hint::sender_is_insecure}),
       words);
}

/// What was recorded of another connection is known before anything is computed for it.
bool Gate::begin_tls(Guest& guest, bool all_is_here) {
  std::array<std::byte, kClientHelloStartBytes> start{};
  const std::size_t came = guest.plain->peek_now(start).value_or(0);
  if (came < start.size() && !all_is_here) {
    guest.plain->wake_from(start.size());
    return false;
  }
  guest.random = client_random(ByteSpan(start).first(came));
  if (guest.random && seen_.contains(*guest.random))
    throw Error(ErrorKind::connect, "it plays back what another connection said");
  guest.plain->wake_from(1);
  guest.tls = std::make_unique<TlsStream>(*setup_.context, std::move(guest.plain));
  return true;
}

void Gate::begin_plain(Guest& guest, ByteSpan hello) {
  try {
    static_cast<void>(Hello::decode(hello, Role::sender));
  } catch (const Error& error) {
    const std::string why = words_of(error);
    part(guest, why, error_frame(error.kind(), why));
    return;
  }
  guest.plain->wake_from(1);
  let_in(guest, std::move(guest.plain));
}

void Gate::shake_hands(Guest& guest) {
  const auto next = guest.tls->handshake();
  if (next == TlsStream::Handshake::done) {
    say(*guest.tls, setup_.greeting);
    let_in(guest, std::move(guest.tls));
    return;
  }
  guest.waits_for = next == TlsStream::Handshake::reads ? POLLIN : POLLOUT;
  if (guest.state == Guest::State::unproven && guest.tls->has_answered()) {
    guest.state = Guest::State::answered;
    if (guest.random) seen_.add(*guest.random);
  }
}

void Gate::let_in(Guest& guest, std::unique_ptr<SocketStream> stream) {
  guest.state = Guest::State::gone;
  let_in_.push_back(std::move(stream));
}

/// With time to hear why: a close while it still sends could destroy our last word.
void Gate::part(Guest& guest, std::string_view why, ByteSpan last_words) {
  if (!why.empty()) refuse(guest, why);
  guest.state = Guest::State::leaving;
  guest.waits_for = POLLIN;
  guest.until = Clock::now() + kFarewell;
  SocketStream& stream = guest.tls ? guest.tls->tcp() : *guest.stream();
  if (guest.plain) guest.plain->wake_from(1);
  try {
    say(stream, last_words);
  } catch (const std::exception&) {
    guest.state = Guest::State::gone;
  }
  stream.finish_now();
}

void Gate::send_away(std::unique_ptr<SocketStream> stream, ByteSpan last_words) noexcept {
  try {
    make_room();
    auto guest = std::make_unique<Guest>();
    guest->peer = stream->peer();
    guest->let_out = std::move(stream);
    part(*guest, {}, last_words);
    if (guest->state != Guest::State::gone) guests_.push_back(std::move(guest));
  } catch (const std::exception&) {
    // It is closed: there is no memory for it.
  }
}

std::string Gate::words_of(const Error& error) const {
  return setup_.words ? setup_.words(error) : error.what();
}

void Gate::refuse(const Guest& guest, std::string_view why) const {
  if (setup_.refused) setup_.refused(guest.peer, why);
}

}  // namespace adoc
