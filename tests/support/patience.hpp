#pragma once

#include <chrono>

#include "util/sanitized.hpp"

namespace adoc::testkit {

/// What takes longer hangs. Instrumented programs on a busy machine take many times as long as
/// others do.
inline constexpr std::chrono::seconds kPatience{kSanitized ? 120 : 30};

}  // namespace adoc::testkit
