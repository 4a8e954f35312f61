#pragma once

#include "util/fd.hpp"

namespace adoc::cli {

/// The listening socket that a service manager has passed by LISTEN_PID and LISTEN_FDS, as
/// sd_listen_fds(3) defines them; empty when they are not set or meant for another process. They
/// are taken out of the environment. To be called once, before anything is opened. Throws
/// Error(usage) for values that make no sense and for more than one socket.
[[nodiscard]] Fd take_passed_socket();

}  // namespace adoc::cli
