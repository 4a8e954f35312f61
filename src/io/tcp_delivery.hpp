#pragma once

#include <optional>

#include "io/stream.hpp"

namespace adoc {

/// Of the bytes written to a TCP socket; none for other sockets and systems that do not tell.
[[nodiscard]] std::optional<Delivery> tcp_delivery(int socket) noexcept;

}  // namespace adoc
