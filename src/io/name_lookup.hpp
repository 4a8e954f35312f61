#pragma once

#include <chrono>
#include <vector>

#include "io/address.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// resolve() for who cannot wait as long as a name server may take: within the limit (0: none) and
/// until `stopped` is set. Throws Error(connect) that says what is wrong with the name or that no
/// answer came, Error(interrupted) once stopped.
[[nodiscard]] std::vector<Address> look_up(const Endpoint& peer, std::chrono::milliseconds limit,
                                           const Wakeup& stopped);

}  // namespace adoc
