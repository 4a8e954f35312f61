#pragma once

namespace adoc::cli {

/// Where a limit is set on this program's memory (ulimit -v, -d), what is only reserved counts,
/// too: threads get stacks of 1 MiB instead of the usual 8, of which next to nothing is used, and
/// all of them one arena of the C library's allocator, which reserves 64 MiB for each and never
/// gives them back. What 1 MiB is not enough for, as deep recursion, is not done here. Before there
/// is any other thread.
void spare_address_space_where_it_is_limited() noexcept;

}  // namespace adoc::cli
