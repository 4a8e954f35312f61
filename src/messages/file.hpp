#pragma once

#include <cstdint>

#include "messages/connection.hpp"

namespace adoc::messages {

/// How many bytes of the file there were, or an errno, negated. Both wait, and whoever calls holds
/// the lock of the direction.
[[nodiscard]] std::int64_t send_file(int fd, Connection& connection, int file, LevelRange range,
                                     std::uint64_t& wire);
[[nodiscard]] std::int64_t receive_file(int fd, Connection& connection, int file);

}  // namespace adoc::messages
