#pragma once

namespace adoc {

/// Nobody else is at the lists of large_memory.hpp from the one to the other, by one thread: for a
/// fork().
void hold_large_memory();
void release_large_memory() noexcept;

}  // namespace adoc
