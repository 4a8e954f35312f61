#pragma once

namespace adoc::cli {

/// From now on nothing of this process's memory, which holds keys, gets into a core dump, a file or
/// a program that collects them, and no other program of the same user can attach to it.
void forbid_core_dumps() noexcept;

}  // namespace adoc::cli
