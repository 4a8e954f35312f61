#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>
#include <optional>
#include <span>

#include "util/bytes.hpp"

namespace adoc::messages {

/// How much was done, or an errno, negated: what a system call gives, without the global variable.
/// Waiting and being interrupted are no exceptions here.
using Count = ssize_t;

enum class Channel : std::uint8_t { tcp, local_socket, pipe, other };

[[nodiscard]] constexpr bool is_socket(Channel channel) noexcept {
  return channel == Channel::tcp || channel == Channel::local_socket;
}

/// What a number stands for: two descriptors are the same connection, or pipe, if this is the same.
/// A number that was closed and opened again is another one.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;

  bool operator==(const Identity&) const = default;
};

/// 0, or the errno of what is no stream, negated.
[[nodiscard]] Count identify(int fd, Identity& identity, mode_t& mode) noexcept;
/// What kind of stream that is.
[[nodiscard]] Count kind_of(int fd, mode_t mode, Channel& channel) noexcept;

/// One system call each. SIGPIPE is not raised for sockets.
[[nodiscard]] Count system_write(int fd, Channel channel, std::span<const iovec> parts) noexcept;
[[nodiscard]] Count system_read(int fd, std::span<const iovec> parts) noexcept;
/// Does not wait, whatever the descriptor's mode is.
[[nodiscard]] Count system_write_now(int fd, Channel channel, ByteSpan bytes) noexcept;

[[nodiscard]] bool does_not_block(int fd) noexcept;
/// Until it can be read from, or written to, also where it does not block.
void wait_for(int fd, short events) noexcept;

[[nodiscard]] iovec as_iovec(ByteSpan bytes) noexcept;
[[nodiscard]] iovec as_iovec(std::span<std::byte> bytes) noexcept;

/// What a local socket or a pipe holds that its reader has not taken; none where that is unknown.
[[nodiscard]] std::optional<std::uint64_t> unread_bytes(int fd, Channel channel) noexcept;

}  // namespace adoc::messages
