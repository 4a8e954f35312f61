#pragma once

namespace adoc::cli {

/// Has malloc, of glibc, take what it gives out from one heap for all threads, whose first part is
/// in huge pages where the system lends them to who asks (transparent_hugepage: madvise), and keep
/// what is given back; unless a limit is set on the program's memory: then threads get by with
/// less. Before there is any other thread.
void prepare_heap() noexcept;

/// For a program that promises how much memory it takes: large blocks go back to the system when
/// they are free, where else they would leave holes between small ones. After prepare_heap().
void give_large_blocks_back() noexcept;

}  // namespace adoc::cli
