#pragma once

#include "adoc/error.hpp"
#include "adoc/observer.hpp"

namespace adoc::cli {

/// How the programs end, as adoc-send(1) and adoc-recv(1) promise it to scripts.
enum ExitCode : int {
  kExitDone = 0,
  kExitSomeFailed = 1,
  kExitUsage = 2,
  kExitConnect = 3,
  kExitRefused = 4,
  kExitCorrupt = 5,
  kExitLocalFile = 6,
  kExitRemoteFile = 7,
  kExitVanished = 24,  ///< as rsync's
  kExitInternal = 70,  ///< EX_SOFTWARE of sysexits.h
  kExitInterrupted = 130,
};

[[nodiscard]] ExitCode exit_code(ErrorKind kind) noexcept;

/// Of a transfer that went to its end.
[[nodiscard]] ExitCode exit_code(const Statistics& statistics) noexcept;

}  // namespace adoc::cli
