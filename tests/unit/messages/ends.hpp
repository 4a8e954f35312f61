#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "adoc/adoc.h"
#include "util/bytes.hpp"

namespace adoc::testkit {

/// Two connected descriptors, closed with adoc_close() at the end.
struct Ends {
  int a = -1;
  int b = -1;

  Ends(int first, int second) noexcept : a(first), b(second) {}
  Ends(Ends&& other) noexcept : a(std::exchange(other.a, -1)), b(std::exchange(other.b, -1)) {}
  Ends& operator=(Ends&&) = delete;
  ~Ends() {
    close_a();
    close_b();
  }
  void close_a() noexcept {
    if (a >= 0) adoc_close(std::exchange(a, -1));
  }
  void close_b() noexcept {
    if (b >= 0) adoc_close(std::exchange(b, -1));
  }
};

inline Ends socket_pair() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  return {ends[0], ends[1]};
}

/// `a` is written to, `b` is read.
inline Ends pipe_ends() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe(ends), 0);
  return {ends[1], ends[0]};
}

inline Ends tcp_pair() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  EXPECT_EQ(listen(listener, 1), 0);
  EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), length), 0);
  const int server = accept(listener, nullptr, nullptr);
  close(listener);
  return {client, server};
}

inline void set_non_blocking(int fd) {
  ASSERT_EQ(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
}

/// Text that shrinks to about a third.
inline Bytes words(std::size_t bytes, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) text += "value " + std::to_string(random() % 10'000) + " of field\n";
  text.resize(bytes);
  const ByteSpan span = as_byte_span(text);
  return {span.begin(), span.end()};
}

inline Bytes noise(std::size_t bytes, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  Bytes result(bytes);
  for (std::size_t at = 0; at < bytes;) {
    const std::uint64_t drawn = random();
    const std::size_t some = std::min(sizeof(drawn), bytes - at);
    std::memcpy(result.data() + at, &drawn, some);
    at += some;
  }
  return result;
}

/// Until so many have come, or the end.
inline Bytes read_bytes(int fd, std::size_t bytes, std::size_t at_once = 1 << 20) {
  Bytes result(bytes);
  std::size_t came = 0;
  while (came < bytes) {
    const ssize_t next = adoc_read(fd, result.data() + came, std::min(bytes - came, at_once));
    if (next < 0 && errno == EAGAIN) {
      pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
      EXPECT_EQ(poll(&readable, 1, -1), 1);
      continue;
    }
    EXPECT_GE(next, 0) << adoc_strerror(errno);
    if (next <= 0) break;
    came += static_cast<std::size_t>(next);
  }
  result.resize(came);
  return result;
}

inline void write_all(int fd, ByteSpan bytes, int min_level = 0) {
  while (!bytes.empty()) {
    const ssize_t taken =
        adoc_write_levels(fd, bytes.data(), bytes.size(), nullptr, min_level, adoc_max_level());
    ASSERT_GT(taken, 0) << adoc_strerror(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(taken));
  }
}

}  // namespace adoc::testkit
