#include "io/tcp_stream.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "io/address.hpp"
#include "util/clock.hpp"
#include "util/errno_error.hpp"
#include "util/seconds_text.hpp"

namespace adoc {

namespace {
constexpr int kWriteGraceMs = 400;
constexpr int kSilenceMs = 60'000;

// Newer than the headers of some systems that may run on a kernel that has it.
constexpr int kTcpRtoMaxMs = 44;
constexpr int kLeastRtoMaxMs = 1'000;
constexpr int kMostRtoMaxMs = 120'000;
/// Of a limit on silence, how much may pass between two attempts to get through.
constexpr int kAttemptsInSilence = 8;
constexpr std::size_t kFirstUnsentLimit = 128 << 10;
constexpr std::size_t kMostIovecs = 64;
}  // namespace

TcpStream::TcpStream(Fd socket, std::string peer, Wakeup stopping)
    : socket_(std::move(socket)), peer_(std::move(peer)), stopping_(std::move(stopping)) {
  // Whole frames are handed over, so waiting for more would only delay the last one.
  set_option(IPPROTO_TCP, TCP_NODELAY, 1);
  // A peer whose machine or network is gone says nothing: the system asks whether it is there, and
  // gives up in a minute on what it does not acknowledge. For peers that promise nothing better.
  set_option(SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set_option(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set_option(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(IPPROTO_TCP, TCP_USER_TIMEOUT, kSilenceMs);
  set_unsent_limit(kFirstUnsentLimit);
}

std::string TcpStream::link_name() const {
  return local_endpoint(socket_.get()).host + "-" + peer_endpoint(socket_.get()).host;
}

// What a system does not know it does without.
void TcpStream::set_option(int level, int name, int value) noexcept {
  ::setsockopt(socket_.get(), level, name, &value, sizeof(value));
}

// Also what the system says is writable: it wakes the writer when half of the limit is sent.
void TcpStream::set_unsent_limit(std::size_t bytes) noexcept {
  set_option(IPPROTO_TCP, TCP_NOTSENT_LOWAT, static_cast<int>(bytes));
}

// The system's limit would also end a connection to a peer that lives but has no room for a minute,
// because its disk is slow. And while the network is down the system tries again ever more seldom:
// where it can be told to, it tries often enough to find out that it is back.
void TcpStream::set_silence_limit(std::chrono::milliseconds limit) {
  read_timeout_ = limit;
  promised_to_speak_ = true;
  set_option(IPPROTO_TCP, TCP_USER_TIMEOUT, 0);
  if (limit.count() == 0) {
    set_option(SOL_SOCKET, SO_KEEPALIVE, 0);
    return;
  }
  const auto attempt =
      std::min<std::chrono::milliseconds::rep>(limit.count() / kAttemptsInSilence, kMostRtoMaxMs);
  set_option(IPPROTO_TCP, kTcpRtoMaxMs, std::max(static_cast<int>(attempt), kLeastRtoMaxMs));
}

std::optional<std::size_t> TcpStream::receive(std::span<std::byte> into, int flags) {
  while (true) {
    const ssize_t got = ::recv(socket_.get(), into.data(), into.size(), MSG_DONTWAIT | flags);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN) return std::nullopt;
    if (errno != EINTR) lost(errno);
  }
}

std::optional<std::size_t> TcpStream::read_now(std::span<std::byte> into) {
  const auto got = receive(into, 0);
  if (got) look_at_buffer(receive_buffer_, *got);
  return got;
}

std::optional<std::size_t> TcpStream::peek_now(std::span<std::byte> into) {
  return receive(into, MSG_PEEK);
}

void TcpStream::wake_from(std::size_t bytes) noexcept {
  set_option(SOL_SOCKET, SO_RCVLOWAT, static_cast<int>(bytes));
}

bool TcpStream::wait_readable() {
  const Clock::time_point begin = Clock::now();
  const auto waited =
      stopping_.wait_for(socket_.get(), POLLIN,
                         read_timeout_.count() != 0 ? static_cast<int>(read_timeout_.count()) : -1);
  waited_to_read_ += Clock::now() - begin;
  if (waited == Wakeup::Result::timed_out) silent();
  return waited == Wakeup::Result::ready;
}

std::size_t TcpStream::read_some(std::span<std::byte> into) {
  bool stopped = false;
  while (true) {
    if (const auto got = read_now(into)) return *got;
    if (stopped) return 0;
    // Woken, and yet something may have arrived: one more look, and the end after that.
    stopped = !wait_readable();
  }
}

std::optional<std::size_t> TcpStream::write_now(std::span<const ByteSpan> pieces) {
  std::array<iovec, kMostIovecs> parts{};
  const std::size_t count = std::min(pieces.size(), parts.size());
  for (std::size_t i = 0; i < count; ++i)
    // sendmsg() does not write to what it is given, its types only cannot say so.
    parts[i] = {const_cast<std::byte*>(pieces[i].data()), pieces[i].size()};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = count;
  while (true) {
    writing_.store(true, std::memory_order_relaxed);
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    writing_.store(false, std::memory_order_relaxed);
    if (sent >= 0) {
      look_at_buffer(send_buffer_, static_cast<std::size_t>(sent));
      return static_cast<std::size_t>(sent);
    }
    if (errno == EAGAIN) return std::nullopt;
    if (errno != EINTR) lost(errno);
  }
}

std::size_t TcpStream::write_some(std::span<const ByteSpan> pieces) {
  while (true) {
    if (const auto sent = write_now(pieces)) return *sent;
    wait_writable();
  }
}

void TcpStream::wait_writable() {
  if (stopping_.wait_for(socket_.get(), POLLOUT) != Wakeup::Result::woken) return;
  pollfd polled{socket_.get(), POLLOUT, 0};
  // Once, not for each of the last words.
  if (::poll(&polled, 1, grace_is_over_ ? 0 : kWriteGraceMs) != 0) return;
  grace_is_over_ = true;
  lost(ETIMEDOUT);
}

Stream::PeerEnd TcpStream::peer_end() const noexcept {
  pollfd polled{socket_.get(), POLLRDHUP, 0};
  if (::poll(&polled, 1, 0) <= 0) return PeerEnd::none;
  return (polled.revents & (POLLERR | POLLHUP)) != 0 ? PeerEnd::gone : PeerEnd::finished;
}

void TcpStream::finish_writing() noexcept { ::shutdown(socket_.get(), SHUT_WR); }

void TcpStream::linger(std::chrono::milliseconds limit) noexcept {
  finish_writing();
  const Clock::time_point end = Clock::now() + limit;
  std::array<std::byte, 64 << 10> ignored{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd polled{socket_.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&polled, 1, static_cast<int>(left.count())) <= 0) return;
    if (::recv(socket_.get(), ignored.data(), ignored.size(), MSG_DONTWAIT) <= 0) return;
  }
}

void TcpStream::abort() noexcept {
  stopping_.set();
  ::shutdown(socket_.get(), SHUT_RDWR);
}

void TcpStream::silent() const {
  if (!promised_to_speak_)
    throw Error(ErrorKind::connect, peer_ + " is silent (is it AdOC that listens there?)");
  throw Error(ErrorKind::connect,
              "nothing heard from " + peer_ + " for " + seconds_text(read_timeout_),
              Hint::look_at_timeout, ": the other side or the network is gone");
}

void TcpStream::lost(int error_number) const {
  throw Error(ErrorKind::connect,
              "the connection to " + peer_ + " is lost: " + errno_text(error_number));
}

}  // namespace adoc
