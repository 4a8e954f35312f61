#include "io/tcp_delivered.hpp"

// Not netinet/tcp.h, whose tcp_info ends before tcpi_bytes_acked; the two exclude each other.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>

namespace adoc {

std::optional<std::uint64_t> tcp_delivered_bytes(int socket) noexcept {
  tcp_info info{};
  socklen_t length = sizeof(info);
  constexpr std::size_t kNeeded = offsetof(tcp_info, tcpi_bytes_acked) + sizeof(std::uint64_t);
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < kNeeded)
    return std::nullopt;
  // The first byte that is acknowledged is that of the connection itself.
  return info.tcpi_bytes_acked > 0 ? info.tcpi_bytes_acked - 1 : 0;
}

}  // namespace adoc
