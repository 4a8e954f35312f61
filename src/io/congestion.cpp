#include "io/congestion.hpp"

// Not netinet/tcp.h, whose tcp_info ends before what is asked for here.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

namespace adoc {

int set_congestion(int socket, const std::string& name) noexcept {
  const auto size = static_cast<socklen_t>(name.size());
  return ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), size) == 0 ? 0 : errno;
}

bool set_pacing(int socket) noexcept {
  // Any limit switches it on; this one is none. All bits set would mean that there is no limit.
  constexpr std::uint64_t kNoLimit = UINT64_MAX - 1;
  return ::setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &kNoLimit, sizeof(kNoLimit)) == 0;
}

void answer_loss(int socket) noexcept {
  if (set_congestion(socket, "bbr") != 0) static_cast<void>(set_pacing(socket));
}

bool slows_for_loss(int socket) noexcept {
  std::array<char, 17> name{};  // the system's names have 15 characters
  socklen_t length = name.size() - 1;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return true;
  return !std::string_view(name.data()).starts_with("bbr");
}

std::optional<PacketCounts> packet_counts(int socket) noexcept {
  tcp_info info{};
  socklen_t length = sizeof(info);
  constexpr std::size_t kAsked = offsetof(tcp_info, tcpi_segs_out) + sizeof(info.tcpi_segs_out);
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < kAsked)
    return std::nullopt;
  return PacketCounts{.sent = info.tcpi_segs_out, .sent_again = info.tcpi_total_retrans};
}

}  // namespace adoc
