#pragma once

#include <signal.h>

namespace adoc {

/// The system ends a process that writes more to a file than it may (RLIMIT_FSIZE, `ulimit -f`), by
/// a signal to the thread that wrote. In a thread that has called this the write fails instead,
/// with EFBIG, and so one file does and not everything that the process is busy with.
inline void block_file_size_signal() noexcept {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace adoc
