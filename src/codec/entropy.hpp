#pragma once

#include "util/bytes.hpp"

namespace adoc {

/// Whether a block may be random or compressed already, by the order-0 entropy of a sample of it. A
/// cheap look: what it says no to shrinks under any entropy coder, what it says yes to may still
/// hold long repetitions.
[[nodiscard]] bool looks_random(ByteSpan block) noexcept;

}  // namespace adoc
