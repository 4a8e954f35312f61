#pragma once

#include "adoc/peer_key.hpp"

namespace adoc::cli {

/// adoc-send --save-key: reads the key of `peer` from standard input, a terminal without echo, and
/// keeps it for transfers to there. Returns the exit code. Throws Error(usage) for what is no key,
/// Error(local_file), Error(interrupted) on a signal.
int save_key(const PeerName& peer);

}  // namespace adoc::cli
