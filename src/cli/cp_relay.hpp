#pragma once

#include <stop_token>

namespace adoc::cli {

/// Passes on what comes from either socket to the other, until both have ended or a stop request.
void relay(int one, int other, const std::stop_token& stop);

}  // namespace adoc::cli
