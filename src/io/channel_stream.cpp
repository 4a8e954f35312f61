#include "io/channel_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include "adoc/error.hpp"
#include "io/channel_out.hpp"
#include "io/channel_record.hpp"
#include "util/clock.hpp"
#include "util/errno_error.hpp"
#include "util/seconds_text.hpp"
#include "util/silence.hpp"
#include "util/wakeup.hpp"
#include "wire/broken_protocol.hpp"

namespace adoc {

namespace {

/// What has arrived is said after so much, also to a peer that always has more.
constexpr std::uint64_t kSaidAfter = 64 << 10;
/// Records without data, before it is looked whether the time is over.
constexpr int kMostWithoutData = 64;
/// Before it is over where there is no time.
constexpr Clock::duration kLeastWait = std::chrono::milliseconds(1);

void without_blocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
    throw errno_error(ErrorKind::internal, "use a pipe without waiting for it", errno);
}

}  // namespace

struct ChannelStream::State {
  explicit State(Setup given)
      : peer(std::move(given.peer)),
        link_name(std::move(given.link_name)),
        in(std::move(given.in)),
        out(std::move(given.out), peer, stopping) {
    without_blocking(in.get());
    without_blocking(out.fd());
    if (given.begun) {
      header = *given.begun;
      take_header();
    }
  }

  [[nodiscard]] std::optional<std::size_t> read_now(std::span<std::byte> into);
  [[nodiscard]] std::size_t take(std::size_t got, std::size_t data);
  void take_header();
  [[nodiscard]] bool wait_to_read(Silence& silence, bool unless_stopped);
  [[noreturn]] void at_end() const;
  [[noreturn]] void silent() const;

  const std::string peer;
  const std::string link_name;
  const Fd in;
  Wakeup stopping;
  ChannelOut out;
  std::atomic<bool> peer_ended{false};

  // The reading thread's:
  ChannelRecord::Header header{};
  std::size_t header_bytes = 0;  ///< that are here
  std::size_t rest = 0;          ///< of a record's data
  std::chrono::milliseconds read_timeout{0};
  bool promised_to_speak = false;
  std::chrono::nanoseconds waited{0};
};

/// As long as it lives, the peer is heard.
class ChannelStream::Reading {
 public:
  explicit Reading(State& state) noexcept : out_(state.out) { out_.reader_is_there(true); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { out_.reader_is_there(false); }

 private:
  ChannelOut& out_;
};

/// How much of the caller's memory has been filled; 0 at the end, none where nothing is here.
std::optional<std::size_t> ChannelStream::State::read_now(std::span<std::byte> into) {
  for (int without_data = 0; without_data < kMostWithoutData; ++without_data) {
    // The record's rest, and with the same call the header of the next one.
    const std::size_t data = std::min(rest, into.size());
    const std::array<iovec, 2> parts{
        {{into.data(), data}, {header.data() + header_bytes, header.size() - header_bytes}}};
    ssize_t got = 0;
    while ((got = ::readv(in.get(), parts.data(), data == rest ? 2 : 1)) < 0 && errno == EINTR) {
    }
    // Also when a socket is reset, because the other side went without reading our last words.
    if (got <= 0 && peer_ended) return 0;
    if (got < 0 && errno != EAGAIN)
      throw Error(ErrorKind::connect,
                  "the connection to " + peer + " is lost: " + errno_text(errno));
    if (got < 0) return std::nullopt;
    if (got == 0) {
      if (stopping.is_set()) return 0;
      at_end();
    }
    if (const std::size_t filled = take(static_cast<std::size_t>(got), data)) return filled;
  }
  if (peer_ended) return 0;
  return std::nullopt;
}

/// Of what was read, the first part is data, the rest belongs to the header.
std::size_t ChannelStream::State::take(std::size_t got, std::size_t data) {
  const std::size_t filled = std::min(got, data);
  rest -= filled;
  out.read_here(filled);
  header_bytes += got - filled;
  if (header_bytes < header.size()) return filled;
  header_bytes = 0;
  take_header();
  return filled;
}

void ChannelStream::State::take_header() {
  const ChannelRecord record = ChannelRecord::decode(header);
  if (peer_ended && record.length != 0) broken_protocol("data came after the channel's end");
  out.peer_read(record.arrived);
  if (record.is_end())
    peer_ended = true;
  else
    rest = record.length;
}

void ChannelStream::State::at_end() const {
  throw Error(ErrorKind::connect,
              "the connection to " + peer + " is lost: the other side went away before its end");
}

void ChannelStream::State::silent() const {
  if (!promised_to_speak)
    throw Error(ErrorKind::connect, peer + " is silent (is it AdOC that answers there?)");
  throw Error(ErrorKind::connect,
              "nothing heard from " + peer + " for " + seconds_text(read_timeout),
              Hint::look_at_timeout, ": the other side or the network is gone");
}

/// Until there may be something to read; false once stopped. Throws when the time is over.
bool ChannelStream::State::wait_to_read(Silence& silence, bool unless_stopped) {
  Clock::time_point now = Clock::now();
  while (true) {
    if (silence.is_over(now)) silent();
    const ChannelOut::Unsaid unsaid = out.say_read(now);
    Clock::duration most = silence.wait();
    if (unsaid.until) most = std::min(most, *unsaid.until - now);
    std::array<pollfd, 3> polled{{{in.get(), POLLIN, 0},
                                  {unless_stopped ? stopping.fd() : -1, POLLIN, 0},
                                  {unsaid.needs_room ? out.fd() : -1, POLLOUT, 0}}};
    const int ready = ::poll(polled.data(), polled.size(), poll_ms(most));
    if (ready < 0 && errno != EINTR)
      throw errno_error(ErrorKind::internal, "wait for a descriptor", errno);
    const Clock::time_point before = std::exchange(now, Clock::now());
    waited += now - before;
    if (ready <= 0) continue;
    if (polled[1].revents != 0) return false;
    if (polled[0].revents != 0) return true;
  }
}

ChannelStream::ChannelStream(Setup setup) : state_(std::make_unique<State>(std::move(setup))) {}
ChannelStream::~ChannelStream() = default;

std::size_t ChannelStream::read_some(std::span<std::byte> into) {
  State& state = *state_;
  const Reading reading(state);
  std::optional<Silence> silence;
  bool stopped = false;
  while (true) {
    if (const auto got = state.read_now(into)) {
      if (state.out.unsaid() >= kSaidAfter) static_cast<void>(state.out.say_read(Clock::now()));
      return *got;
    }
    if (stopped) return 0;
    // What the peer says of our direction does not count: it is to say something in its own.
    if (!silence) silence.emplace(state.read_timeout);
    // Woken, and yet something may have arrived: one more look, and the end after that.
    stopped = !state.wait_to_read(*silence, true);
  }
}

std::size_t ChannelStream::write_some(std::span<const ByteSpan> pieces) {
  return state_->out.write(pieces);
}

void ChannelStream::finish_writing() noexcept { state_->out.finish(std::nullopt); }
void ChannelStream::stop_reading() noexcept { state_->stopping.set(); }

void ChannelStream::linger(std::chrono::milliseconds limit) noexcept {
  State& state = *state_;
  const Clock::time_point end = Clock::now() + limit;
  state.out.finish(end);
  Silence silence(std::max(Clock::duration(limit), kLeastWait));
  std::array<std::byte, 64 << 10> ignored{};
  try {
    while (!state.out.is_aborted()) {
      const auto got = state.read_now(ignored);
      if (got ? *got == 0 : !state.wait_to_read(silence, false)) return;
      if (Clock::now() >= end) return;
    }
  } catch (const std::exception&) {
    // There is nobody to tell.
  }
}

void ChannelStream::abort() noexcept {
  state_->out.abort();
  state_->stopping.set();
  // Of a pipe the other side finds out when it is closed.
  ::shutdown(state_->in.get(), SHUT_RDWR);
  ::shutdown(state_->out.fd(), SHUT_RDWR);
}

void ChannelStream::set_read_timeout(std::chrono::milliseconds limit) {
  state_->read_timeout = limit;
}

void ChannelStream::set_silence_limit(std::chrono::milliseconds limit) {
  state_->read_timeout = limit;
  state_->promised_to_speak = true;
}

void ChannelStream::set_unsent_limit(std::size_t bytes) noexcept {
  state_->out.allow_waiting(bytes);
}

std::optional<Delivery> ChannelStream::delivery() const noexcept { return state_->out.delivery(); }
bool ChannelStream::delivery_waits() const noexcept { return state_->out.is_writing(); }

std::optional<std::chrono::nanoseconds> ChannelStream::waited_to_read() const noexcept {
  return state_->waited;
}

Stream::PeerEnd ChannelStream::peer_end() const noexcept {
  if (state_->peer_ended) return PeerEnd::finished;
  pollfd polled{state_->in.get(), POLLRDHUP, 0};
  if (::poll(&polled, 1, 0) <= 0) return PeerEnd::none;
  return (polled.revents & POLLERR) != 0 ? PeerEnd::gone : PeerEnd::finished;
}

const std::string& ChannelStream::peer() const noexcept { return state_->peer; }
std::string ChannelStream::link_name() const { return state_->link_name; }

}  // namespace adoc
