#pragma once

#include <cstdint>
#include <optional>

namespace adoc {

/// How fast a TCP socket has been with what it was given, whatever its pauses.
struct TcpPace {
  std::uint64_t arrived_bytes = 0;  ///< at the peer's system, as it says
  double busy_seconds = 0;  ///< in which there was something to send, in ticks of some milliseconds
  /// At which what arrived last did so, as the system measures it from one acknowledgement to the
  /// next; 0 where it is not known. No more than what there was to send.
  double arrival_bytes_per_second = 0;
};

/// None for other sockets and systems that do not tell.
[[nodiscard]] std::optional<TcpPace> tcp_pace(int socket) noexcept;

}  // namespace adoc
