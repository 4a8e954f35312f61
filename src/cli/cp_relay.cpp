#include "cli/cp_relay.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <thread>

namespace adoc::cli {

namespace {

/// For a machine that has a connection of its own to the other to end by itself.
constexpr int kEndsByItselfMs = 2'000;
/// What they say through here to find each other again, six bytes each time; no transfer is less.
constexpr std::uint64_t kMostBesides = 60;
/// For a machine that the other one has gone away from.
constexpr int kEndsAloneMs = 10'000;

bool write_whole(int to, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(to, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

/// One direction. What cannot be passed on is lost with its reader.
std::uint64_t pass_on(int from, int to) noexcept {
  std::uint64_t passed = 0;
  std::array<char, 64 << 10> piece{};
  while (true) {
    const ssize_t got = ::recv(from, piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !write_whole(to, piece.data(), static_cast<std::size_t>(got))) break;
    passed += static_cast<std::uint64_t>(got);
  }
  pollfd other{to, POLLRDHUP, 0};
  // If they talk directly, the one that was done first must not interrupt the other.
  if (passed <= kMostBesides) static_cast<void>(::poll(&other, 1, kEndsByItselfMs));
  ::shutdown(to, SHUT_WR);
  ::shutdown(from, SHUT_RD);
  static_cast<void>(::poll(&other, 1, kEndsAloneMs));
  ::shutdown(to, SHUT_RD);
  return passed <= kMostBesides ? 0 : passed;
}

}  // namespace

std::uint64_t relay(int one, int other, const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [&] {
    ::shutdown(one, SHUT_RDWR);
    ::shutdown(other, SHUT_RDWR);
  });
  const std::jthread back([&] { static_cast<void>(pass_on(other, one)); });
  return pass_on(one, other);
}

}  // namespace adoc::cli
