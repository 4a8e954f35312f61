#include "io/tcp_delivery.hpp"

// Not netinet/tcp.h, whose tcp_info ends before tcpi_bytes_acked; the two exclude each other.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>

namespace adoc {

std::optional<Delivery> tcp_delivery(int socket) noexcept {
  tcp_info info{};
  socklen_t length = sizeof(info);
  constexpr std::size_t kNeeded = offsetof(tcp_info, tcpi_notsent_bytes) + sizeof(std::uint32_t);
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < kNeeded)
    return std::nullopt;
  // The first byte that is acknowledged is that of the connection itself.
  return Delivery{.arrived_bytes = info.tcpi_bytes_acked > 0 ? info.tcpi_bytes_acked - 1 : 0,
                  .unsent_bytes = info.tcpi_notsent_bytes};
}

}  // namespace adoc
