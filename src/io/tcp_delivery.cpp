#include "io/tcp_delivery.hpp"

// Not netinet/tcp.h, whose tcp_info ends before tcpi_bytes_acked; the two exclude each other.
#include <linux/inet_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>

namespace adoc {
namespace {

/// What arrives so much later than it might has waited in a queue; less is the other side's pace.
/// Of what the system knows it is lately: where bytes come in bursts, and each has only just
/// arrived when the next is made, the link has something to do all the time.
constexpr std::uint32_t kQueueMicroseconds = 5'000;

double queue_seconds(const tcp_info& info) noexcept {
  if (info.tcpi_rtt / 2 <= info.tcpi_min_rtt) return 0;
  const std::uint32_t microseconds = info.tcpi_rtt - info.tcpi_min_rtt;
  return microseconds > kQueueMicroseconds ? microseconds * 1e-6 : 0;
}

/// BBR's pacing gain, in its units: 2.89 of them while it starts, 1.25 at most afterwards.
constexpr std::uint32_t kBbrUnit = 256;
constexpr std::uint32_t kBbrStartGain = 2 * kBbrUnit;

std::optional<std::uint32_t> bbr_pacing_gain(int socket) noexcept {
  tcp_cc_info info{};
  socklen_t length = sizeof(info);
  if (::getsockopt(socket, IPPROTO_TCP, TCP_CC_INFO, &info, &length) != 0) return std::nullopt;
  if (length != sizeof(info.bbr)) return std::nullopt;  // another algorithm's
  return info.bbr.bbr_pacing_gain;
}

/// A longer round trip tells that the link is full before a loss does: by an eighth, 4 to 16 ms (S.
/// Ha, I. Rhee, "Taming the elephants: new TCP slow start", 2011). And as the system sees it, a
/// window limits only if more than half of it is on its way.
bool in_slow_start(int socket, const tcp_info& info) noexcept {
  const std::uint32_t queue = std::clamp(info.tcpi_min_rtt / 8, 4'000U, 16'000U);
  if (info.tcpi_snd_cwnd >= info.tcpi_snd_ssthresh || info.tcpi_rtt > info.tcpi_min_rtt + queue)
    return false;
  if (const auto gain = bbr_pacing_gain(socket)) return *gain >= kBbrStartGain;
  return info.tcpi_snd_cwnd / 2 < info.tcpi_unacked;
}

/// Systems of before these were told do without.
template <typename Member>
bool has(socklen_t length, const tcp_info& info, const Member& member) noexcept {
  const auto end =
      reinterpret_cast<const char*>(&member + 1) - reinterpret_cast<const char*>(&info);
  return length >= static_cast<socklen_t>(end);
}

}  // namespace

std::optional<Delivery> tcp_delivery(int socket) noexcept {
  tcp_info info{};
  socklen_t length = sizeof(info);
  constexpr std::size_t kNeeded = offsetof(tcp_info, tcpi_min_rtt) + sizeof(std::uint32_t);
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < kNeeded)
    return std::nullopt;
  // The first byte that is acknowledged is that of the connection itself.
  Delivery delivery{.arrived_bytes = info.tcpi_bytes_acked > 0 ? info.tcpi_bytes_acked - 1 : 0,
                    .unsent_bytes = info.tcpi_notsent_bytes,
                    .ahead_bytes = std::uint64_t{info.tcpi_sacked} * info.tcpi_snd_mss,
                    .queue_seconds = queue_seconds(info),
                    .in_slow_start = in_slow_start(socket, info),
                    .round_trip_seconds = info.tcpi_rtt * 1e-6};
  if (has(length, info, info.tcpi_sndbuf_limited)) {
    delivery.receive_window_seconds = static_cast<double>(info.tcpi_rwnd_limited) * 1e-6;
    delivery.send_buffer_seconds = static_cast<double>(info.tcpi_sndbuf_limited) * 1e-6;
  }
  if (has(length, info, info.tcpi_bytes_retrans))
    delivery.retransmitted_bytes = info.tcpi_bytes_retrans;
  return delivery;
}

}  // namespace adoc
