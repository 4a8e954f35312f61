#pragma once

#include <cstdint>
#include <optional>

namespace adoc {

/// How many of the bytes written to a TCP socket the peer's system has acknowledged; none for other
/// sockets and systems that do not tell.
[[nodiscard]] std::optional<std::uint64_t> tcp_delivered_bytes(int socket) noexcept;

}  // namespace adoc
