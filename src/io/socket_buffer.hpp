#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace adoc {

/// The system's buffer of a TCP socket for one direction. The system's own tuning makes it follow
/// the rate and the round trip, up to the third number of net.ipv4.tcp_wmem or net.ipv4.tcp_rmem,
/// and is left alone until it is there. From then on the buffer is doubled as long as it is what
/// limits, as far as the system lets everybody (net.core.wmem_max, net.core.rmem_max). One thread.
class SocketBuffer {
 public:
  enum class Direction { sending, receiving };

  /// What it has and may have, in bytes as the system counts them, with its own overhead.
  struct Limits {
    std::uint64_t tuned = 0;  ///< the most that the system's tuning gives
    std::uint64_t asked = 0;  ///< the most that it gives who asks for it
  };

  explicit SocketBuffer(Direction direction) noexcept : direction_(direction) {}

  /// So many more bytes went through the socket; whether it is time to look.
  [[nodiscard]] bool passes(std::size_t bytes) noexcept {
    passed_ += bytes;
    if (passed_ < kLookBytes) return false;
    passed_ = 0;
    return !is_over_;
  }
  /// Looks at the buffer of the socket and makes it larger where that is due.
  void look(int socket) noexcept;

  /// The next size of a buffer that has `bytes` and is what limits; none where the system's tuning
  /// still has room, or nothing larger is to be had.
  [[nodiscard]] static std::optional<std::uint64_t> next(std::uint64_t bytes,
                                                         const Limits& limits) noexcept;
  /// Of this machine, as they were when it was asked first: who is confined later cannot look.
  /// Zeros where it does not tell.
  [[nodiscard]] static const Limits& system_limits(Direction direction) noexcept;

 private:
  static constexpr std::size_t kLookBytes = 256 << 10;

  Direction direction_;
  std::size_t passed_ = 0;
  bool is_over_ = false;        ///< there is nothing more to be had
  double limited_seconds_ = 0;  ///< of a connection that sends, when it was looked at last
  double busy_seconds_ = 0;     ///< the same: with something to send
};

}  // namespace adoc
