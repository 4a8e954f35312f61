#pragma once

namespace adoc::cli {

/// Has malloc, of glibc, take what it gives out from one heap for all threads, whose first part is
/// in huge pages where the system lends them to who asks (transparent_hugepage: madvise), and keep
/// what is given back; unless a limit is set on the program's memory. Before there is any other
/// thread.
void prepare_heap() noexcept;

}  // namespace adoc::cli
