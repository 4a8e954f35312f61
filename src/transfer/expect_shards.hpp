#pragma once

#include <cstdint>

namespace adoc {

/// That a receiver with these features puts together what several senders send of a file, and tells
/// apart those of which something else is lost (`lossy`). Throws Error(usage).
void expect_shards(std::uint64_t features, bool lossy);

}  // namespace adoc
