#include "cli/exit_code.hpp"

namespace adoc::cli {

ExitCode exit_code(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::usage:
      return kExitUsage;
    case ErrorKind::connect:
      return kExitConnect;
    case ErrorKind::refused:
      return kExitRefused;
    case ErrorKind::corrupt:
      return kExitCorrupt;
    case ErrorKind::local_file:
      return kExitLocalFile;
    case ErrorKind::remote_file:
      return kExitRemoteFile;
    case ErrorKind::interrupted:
      return kExitInterrupted;
    case ErrorKind::internal:
      break;
  }
  return kExitInternal;
}

ExitCode exit_code(const Statistics& statistics) noexcept {
  if (statistics.failed == 0 && statistics.incomplete == 0) return kExitDone;
  const bool all_vanished = statistics.failed == statistics.vanished && statistics.incomplete == 0;
  return all_vanished ? kExitVanished : kExitSomeFailed;
}

}  // namespace adoc::cli
