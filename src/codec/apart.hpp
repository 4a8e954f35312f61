#pragma once

#include <functional>

#include "codec/codec.hpp"

namespace adoc {

/// Runs `work` in a thread of its own and waits for it; `meanwhile` is called every few
/// milliseconds. Returns the processor time of that thread, and throws what `work` throws.
///
/// If `meanwhile` throws, that is passed on at once: a library's call cannot be interrupted, and
/// nobody is to wait seconds for it. The work then goes on alone, so it must own all that it
/// touches, and what stands for the memory that this takes. Without `meanwhile`, or where there is
/// no thread to be had, the caller's thread does the work itself.
double run_apart(std::function<void()> work, const Meanwhile& meanwhile);

/// Whether any work of this process that was left alone is not through yet.
[[nodiscard]] bool work_is_left_alone() noexcept;

/// Until all work of this process that was left alone is through: for whoever is to take the memory
/// that it takes. `meanwhile` as above, and never empty.
void wait_for_work_left_alone(const Meanwhile& meanwhile);

}  // namespace adoc
