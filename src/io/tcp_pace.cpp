#include "io/tcp_pace.hpp"

// Not netinet/tcp.h: see tcp_delivery.cpp.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>

namespace adoc {

std::optional<TcpPace> tcp_pace(int socket) noexcept {
  tcp_info info{};
  socklen_t length = sizeof(info);
  constexpr std::size_t kNeeded = offsetof(tcp_info, tcpi_busy_time) + sizeof(info.tcpi_busy_time);
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < kNeeded)
    return std::nullopt;
  return TcpPace{.arrived_bytes = info.tcpi_bytes_acked,
                 .busy_seconds = static_cast<double>(info.tcpi_busy_time) * 1e-6,
                 .arrival_bytes_per_second = static_cast<double>(info.tcpi_delivery_rate)};
}

}  // namespace adoc
