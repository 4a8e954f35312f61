#include "io/gate.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include "adoc/error.hpp"
#include "util/errno_error.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"

namespace adoc {

namespace {

using std::chrono::milliseconds;

/// For reading why we part; who does not take it goes without.
constexpr milliseconds kFarewell{1'000};

/// Without a descriptor for the next connection this is waited for one.
constexpr milliseconds kExhausted{100};

/// Taken at a time, so that those who are here are attended to in between.
constexpr int kArrivals = 16;

constexpr const char* kEncryptsOnly =
    "this receiver takes only encrypted transfers: leave out --insecure, and use its key (it "
    "prints the line to type), or start it with --insecure too if the network is to be trusted";

}  // namespace

/// A connection that is not let in yet.
struct Gate::Guest {
  enum class State {
    leaving,   ///< was told why, or nothing
    unproven,  ///< anybody
    proven,    ///< has the key, or plays back what somebody said who has it
    gone
  };

  std::string peer;
  std::unique_ptr<TcpStream> plain;  ///< until it turns out to speak TLS, or for ever
  std::unique_ptr<TlsStream> tls;
  State state = State::unproven;
  short waits_for = POLLIN;
  Clock::time_point until{};

  [[nodiscard]] TcpStream& tcp() const noexcept { return tls ? tls->tcp() : *plain; }
};

Gate::Gate(Setup setup) : setup_(std::move(setup)) {}
Gate::~Gate() = default;

std::unique_ptr<Stream> Gate::next(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { stopped_.set(); });
  while (let_in_.empty()) {
    wait();
    if (is_stopped_) return nullptr;
  }
  auto stream = std::move(let_in_.front());
  let_in_.pop_front();
  return stream;
}

void Gate::wait() {
  const Clock::time_point now = Clock::now();
  const bool accepts = now >= accepts_at_;
  Clock::time_point until = accepts ? Clock::time_point::max() : accepts_at_;
  std::vector<pollfd> polled{{stopped_.fd(), POLLIN, 0},
                             {accepts ? setup_.listener.fd() : -1, POLLIN, 0}};
  for (const GuestPtr& guest : guests_) {
    polled.push_back({guest->tcp().fd(), guest->waits_for, 0});
    until = std::min(until, guest->until);
  }
  int timeout_ms = -1;
  if (until != Clock::time_point::max())
    timeout_ms = static_cast<int>(
        std::max<std::int64_t>(0, std::chrono::ceil<milliseconds>(until - now).count()));
  if (::poll(polled.data(), polled.size(), timeout_ms) < 0 && errno != EINTR)
    throw errno_error(ErrorKind::internal, "wait for connections", errno);
  if (polled[0].revents != 0) {
    is_stopped_ = true;
    return;
  }
  const Clock::time_point then = Clock::now();
  for (std::size_t i = 0; i < guests_.size(); ++i) {
    Guest& guest = *guests_[i];
    if (polled[i + 2].revents != 0) attend(guest);
    if (guest.state == Guest::State::gone || then < guest.until) continue;
    if (guest.state != Guest::State::leaving) refuse(guest, "it said too little in time");
    guest.state = Guest::State::gone;
  }
  std::erase_if(guests_, [](const GuestPtr& guest) { return guest->state == Guest::State::gone; });
  if (polled[1].revents != 0) take_arrivals();
}

void Gate::take_arrivals() {
  for (int i = 0; i < kArrivals; ++i) {
    TcpListener::Arrival arrival = setup_.listener.accept_now();
    if (arrival.later) accepts_at_ = Clock::now() + kExhausted;
    if (!arrival.stream) return;
    make_room();
    auto guest = std::make_unique<Guest>();
    guest->peer = arrival.stream->peer();
    guest->plain = std::move(arrival.stream);
    guest->until = Clock::now() + setup_.patience;
    guests_.push_back(std::move(guest));
  }
}

// Who has the key proves it at once, so the oldest is the least loss. Those who have proven it wait
// for nothing but the way there and back; they are spared while they leave half of the room.
void Gate::make_room() {
  if (guests_.size() < setup_.most_guests) return;
  const auto oldest = [this](Guest::State state) {
    return std::find_if(guests_.begin(), guests_.end(),
                        [state](const GuestPtr& guest) { return guest->state == state; });
  };
  const auto proven = static_cast<std::size_t>(
      std::count_if(guests_.begin(), guests_.end(),
                    [](const GuestPtr& guest) { return guest->state == Guest::State::proven; }));
  auto least = oldest(Guest::State::leaving);
  if (least == guests_.end())
    least = oldest(2 * proven > guests_.size() ? Guest::State::proven : Guest::State::unproven);
  if ((*least)->state != Guest::State::leaving) refuse(**least, "it had to make room for others");
  guests_.erase(least);
}

void Gate::attend(Guest& guest) {
  try {
    if (guest.state == Guest::State::leaving) {
      std::array<std::byte, 64 << 10> ignored{};
      if (guest.tcp().read_now(ignored).value_or(1) == 0) guest.state = Guest::State::gone;
      return;
    }
    if (!guest.tls) begin(guest);
    if (!guest.tls) return;
    const auto next = guest.tls->handshake();
    if (next == TlsStream::Handshake::done) {
      let_in_.push_back(std::move(guest.tls));
      guest.state = Guest::State::gone;
      return;
    }
    guest.waits_for = next == TlsStream::Handshake::reads ? POLLIN : POLLOUT;
    if (guest.tls->has_answered()) guest.state = Guest::State::proven;
  } catch (const Error& error) {
    const std::string_view why = error.what();
    if (error.kind() == ErrorKind::refused) {
      send_away(guest, why);
    } else {
      if (guest.state != Guest::State::leaving) refuse(guest, why);
      guest.state = Guest::State::gone;
    }
  } catch (const std::bad_alloc&) {
    refuse(guest, "there is no memory for it");
    guest.state = Guest::State::gone;
  }
}

/// The first byte tells what is spoken.
void Gate::begin(Guest& guest) {
  std::array<std::byte, 1> first{};
  const auto got = guest.plain->peek_now(first);
  if (!got) return;
  if (*got == 0) throw Error(ErrorKind::connect, "it closed the connection without a word");
  if (starts_like_tls(first)) {
    guest.tls = std::make_unique<TlsStream>(setup_.context, std::move(guest.plain));
    return;
  }
  const bool adoc = starts_like_hello(first);
  if (adoc) tell_in_plain(guest);
  send_away(guest, adoc ? "it does not encrypt (adoc-send --insecure?)" : "it does not speak AdOC");
}

/// A hello first: a sender takes what comes before it for another protocol.
void Gate::tell_in_plain(Guest& guest) {
  Bytes words = Hello{.role = Role::receiver}.encode();
  const Bytes why =
      encode_frame(ErrorFrame{static_cast<std::uint8_t>(ErrorKind::refused), kEncryptsOnly});
  words.insert(words.end(), why.begin(), why.end());
  const ByteSpan all = words;
  // Few bytes, and an empty socket: they all go.
  static_cast<void>(guest.plain->write_now({&all, 1}));
}

/// With time to hear why: a close while it still sends could destroy our last word.
void Gate::send_away(Guest& guest, std::string_view why) {
  refuse(guest, why);
  guest.state = Guest::State::leaving;
  guest.waits_for = POLLIN;
  guest.until = Clock::now() + kFarewell;
  guest.tcp().finish_writing();
}

void Gate::refuse(const Guest& guest, std::string_view why) const {
  if (setup_.refused) setup_.refused(guest.peer, why);
}

}  // namespace adoc
