#pragma once

namespace adoc::cli {

/// Where a limit is set on this program's memory (ulimit -v, -d), threads get stacks of 1 MiB: a
/// stack counts as a whole, the usual 8 MiB of each thread, though next to nothing of it is used.
/// What 1 MiB is not enough for, as deep recursion, is not done here. Before there is any other
/// thread.
void use_small_stacks_where_memory_is_limited() noexcept;

}  // namespace adoc::cli
