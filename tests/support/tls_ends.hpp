#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "io/tls_stream.hpp"

namespace adoc::testkit {

/// Two sockets that are connected to each other.
inline std::pair<Fd, Fd> connected_sockets() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    ADD_FAILURE() << "no socket pair";
  return {Fd{ends[0]}, Fd{ends[1]}};
}

/// A path from one socket to another that counts from the first byte, changes one or ends.
struct Path {
  std::uint64_t flips_at = UINT64_MAX;  ///< one bit of this byte
  std::uint64_t cut_at = UINT64_MAX;    ///< nothing from this byte on, then the end
  Bytes seen{};                         ///< all that went through; after the path's end

  void run(int from, int to) {
    std::array<std::byte, 64 << 10> piece{};
    while (true) {
      const ssize_t got = ::recv(from, piece.data(), piece.size(), 0);
      if (got <= 0) break;
      std::span<std::byte> bytes(piece.data(), static_cast<std::size_t>(got));
      const std::uint64_t at = seen.size();
      if (at <= flips_at && flips_at < at + bytes.size()) bytes[flips_at - at] ^= std::byte{4};
      seen.insert(seen.end(), bytes.begin(), bytes.end());
      if (at + bytes.size() > cut_at) bytes = bytes.first(cut_at > at ? cut_at - at : 0);
      while (!bytes.empty()) {
        const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
      }
      if (seen.size() >= cut_at) break;
    }
    ::shutdown(to, SHUT_WR);
    ::shutdown(from, SHUT_RD);
  }
};

/// Both ends of an encrypted connection in one process; between them a path for each direction.
class TlsEnds {
 public:
  explicit TlsEnds(const Key& client_key, const Key& server_key)
      : client_context_(client_key, TlsContext::Side::connects),
        server_context_(server_key, TlsContext::Side::listens) {
    auto [client, client_peer] = connected_sockets();
    auto [server, server_peer] = connected_sockets();
    to_client_ = std::move(client_peer);
    to_server_ = std::move(server_peer);
    // Few records under one key, so that its replacement is part of every test.
    client_ = std::make_unique<TlsStream>(
        client_context_, std::make_unique<TcpStream>(std::move(client), "server"), 100);
    server_ = std::make_unique<TlsStream>(
        server_context_, std::make_unique<TcpStream>(std::move(server), "client"), 100);
  }
  explicit TlsEnds(const Key& key) : TlsEnds(key, key) {}
  ~TlsEnds() { end(); }

  /// To be set before open().
  Path to_server{};
  Path to_client{};

  void open() {
    carrying_[0] = std::jthread([this] { to_server.run(to_client_.get(), to_server_.get()); });
    carrying_[1] = std::jthread([this] { to_client.run(to_server_.get(), to_client_.get()); });
  }
  /// Until both are through; throws what the client's handshake, then the server's, throws.
  void shake_hands() {
    open();
    auto serving = std::async(std::launch::async, [this] { shake(*server_); });
    std::exception_ptr failure;
    try {
      shake(*client_);
    } catch (...) {
      failure = std::current_exception();
      client_->abort();
    }
    if (!failure) serving.get();
    if (failure) serving.wait();
    if (failure) std::rethrow_exception(failure);
  }

  static void shake(TlsStream& stream) {
    while (true) {
      const auto next = stream.handshake();
      if (next == TlsStream::Handshake::done) return;
      pollfd polled{stream.tcp().fd(),
                    static_cast<short>(next == TlsStream::Handshake::reads ? POLLIN : POLLOUT), 0};
      if (::poll(&polled, 1, 20'000) == 0) throw std::runtime_error("the handshake hangs");
    }
  }

  /// Closes both ends; then what the paths have seen can be looked at.
  void end() {
    if (client_) client_->abort();
    if (server_) server_->abort();
    for (std::jthread& thread : carrying_)
      if (thread.joinable()) thread.join();
  }

  [[nodiscard]] TlsStream& client() noexcept { return *client_; }
  [[nodiscard]] TlsStream& server() noexcept { return *server_; }
  /// As a process does that is killed.
  void kill_client() { client_.reset(); }

 private:
  TlsContext client_context_;
  TlsContext server_context_;
  Fd to_client_;
  Fd to_server_;
  std::unique_ptr<TlsStream> client_;
  std::unique_ptr<TlsStream> server_;
  std::array<std::jthread, 2> carrying_;
};

}  // namespace adoc::testkit
