#include "io/socket_buffer.hpp"

// Not netinet/tcp.h, whose tcp_info ends before what is asked for here.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>

namespace adoc {

namespace {

/// A buffer that has so much of the most has all of it: the system gives it in steps.
constexpr double kAtEnd = 0.9;
/// Of the time with something to send.
constexpr double kLimitedShare = 0.2;
/// A path has no use for more, and it is memory of the system.
constexpr std::uint64_t kLargestBuffer = 256 << 20;

/// The number at this place in the line that a file of the system is; 0 where there is none.
std::uint64_t number_in(const char* path, int place) noexcept {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "re"), &std::fclose);
  unsigned long long number = 0;
  for (int i = 0; file && i <= place; ++i)
    if (std::fscanf(file.get(), "%llu", &number) != 1) return 0;
  return file ? number : 0;
}

}  // namespace

// What is asked for is doubled by the system, for its overhead.
const SocketBuffer::Limits& SocketBuffer::system_limits(Direction direction) noexcept {
  static const Limits sending{.tuned = number_in("/proc/sys/net/ipv4/tcp_wmem", 2),
                              .asked = 2 * number_in("/proc/sys/net/core/wmem_max", 0)};
  static const Limits receiving{.tuned = number_in("/proc/sys/net/ipv4/tcp_rmem", 2),
                                .asked = 2 * number_in("/proc/sys/net/core/rmem_max", 0)};
  return direction == Direction::sending ? sending : receiving;
}

std::optional<std::uint64_t> SocketBuffer::next(std::uint64_t bytes,
                                                const Limits& limits) noexcept {
  if (limits.tuned == 0 || static_cast<double>(bytes) < kAtEnd * static_cast<double>(limits.tuned))
    return std::nullopt;
  const std::uint64_t wanted = std::min({2 * bytes, limits.asked, kLargestBuffer});
  if (wanted <= bytes) return std::nullopt;
  return wanted;
}

void SocketBuffer::look(int socket) noexcept {
  const bool sends = direction_ == Direction::sending;
  if (sends) {
    // One for what is received is at the end of its tuning only where it has limited.
    tcp_info info{};
    socklen_t length = sizeof(info);
    constexpr std::size_t kAsked =
        offsetof(tcp_info, tcpi_sndbuf_limited) + sizeof(info.tcpi_sndbuf_limited);
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < kAsked) {
      is_over_ = true;
      return;
    }
    const double limited = static_cast<double>(info.tcpi_sndbuf_limited) * 1e-6;
    const double busy = static_cast<double>(info.tcpi_busy_time) * 1e-6;
    const bool limits = limited - limited_seconds_ > kLimitedShare * (busy - busy_seconds_);
    limited_seconds_ = limited;
    busy_seconds_ = busy;
    if (!limits) return;
  }
  int has = 0;
  socklen_t length = sizeof(has);
  if (::getsockopt(socket, SOL_SOCKET, sends ? SO_SNDBUF : SO_RCVBUF, &has, &length) != 0 ||
      has <= 0) {
    is_over_ = true;
    return;
  }
  const Limits& limits = system_limits(direction_);
  const auto bytes = static_cast<std::uint64_t>(has);
  const auto wanted = next(bytes, limits);
  if (!wanted) {
    is_over_ = bytes >= limits.asked;
    return;
  }
  const int asked = static_cast<int>(*wanted / 2);
  ::setsockopt(socket, SOL_SOCKET, sends ? SO_SNDBUF : SO_RCVBUF, &asked, sizeof(asked));
  // By itself the window does not grow beyond what the buffer was before.
  if (!sends) ::setsockopt(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP, &asked, sizeof(asked));
}

}  // namespace adoc
