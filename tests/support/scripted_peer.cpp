#include "support/scripted_peer.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

namespace adoc::testkit {

namespace {

sockaddr_in loopback(std::uint16_t port) noexcept {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

const sockaddr* as_sockaddr(const sockaddr_in& address) noexcept {
  return reinterpret_cast<const sockaddr*>(&address);
}

bool ready(int fd, ScriptedPeer::Limit limit) noexcept {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, static_cast<int>(limit.count())) > 0;
}

}  // namespace

ScriptedPeer ScriptedPeer::connect(std::uint16_t port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  if (::connect(socket.get(), as_sockaddr(address), sizeof(address)) != 0)
    ADD_FAILURE() << "nobody listens on port " << port;
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return ScriptedPeer(std::move(socket));
}

bool ScriptedPeer::say(ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

void ScriptedPeer::finish() noexcept { ::shutdown(socket_.get(), SHUT_WR); }

void ScriptedPeer::vanish() noexcept {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  socket_.reset();
}

Bytes ScriptedPeer::hear(std::size_t count, Limit limit) {
  Bytes heard;
  std::array<std::byte, 64 << 10> piece{};
  while (heard.size() < count && ready(socket_.get(), limit)) {
    const std::size_t room = std::min(piece.size(), count - heard.size());
    const ssize_t got = ::recv(socket_.get(), piece.data(), room, 0);
    if (got <= 0) break;
    heard.insert(heard.end(), piece.begin(), piece.begin() + got);
  }
  return heard;
}

ScriptedListener::ScriptedListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof(address);
  if (::bind(socket_.get(), as_sockaddr(address), length) != 0 || ::listen(socket_.get(), 8) != 0 ||
      ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0)
    ADD_FAILURE() << "cannot listen on loopback";
  port_ = ntohs(address.sin_port);
}

ScriptedPeer ScriptedListener::accept() {
  Fd socket;
  if (ready(socket_.get(), ScriptedPeer::Limit(20'000)))
    socket = Fd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket) ADD_FAILURE() << "nobody connects";
  return ScriptedPeer(std::move(socket));
}

}  // namespace adoc::testkit
