#pragma once

#include <cstdint>
#include <stop_token>

namespace adoc::cli {

/// Passes on what comes from either socket to the other, until both have ended or a stop request.
/// Gives how many bytes of a transfer went from one to the other.
std::uint64_t relay(int one, int other, const std::stop_token& stop);

}  // namespace adoc::cli
