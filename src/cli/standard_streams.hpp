#pragma once

#include <atomic>
#include <string_view>

#include "cli/status_line.hpp"

namespace adoc::cli {

/// Writes everything to a file descriptor, and waits for room where that does not; returns 0 or the
/// errno that ended it. Async-signal-safe.
[[nodiscard]] int write_all(int fd, std::string_view text) noexcept;

/// Writes to standard output at once. Throws Error(local_file).
void print(std::string_view text);

/// As print, but a failure is logged and remembered: for callbacks, and where something more
/// important is under way. From any thread.
class Printer {
 public:
  /// Both streams may be the same terminal, so the status line steps aside. It outlives the
  /// printer.
  explicit Printer(StatusLine& status) : status_(status) {}

  void print(std::string_view text) noexcept;

  /// Whether anything is missing on standard output.
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  StatusLine& status_;
  std::atomic<bool> failed_ = false;
};

/// Puts /dev/null where descriptor 0, 1 or 2 is closed, or else the next file or connection would
/// take its place and get our messages. Writing to a closed standard output fails as before.
void fill_closed_standard_streams() noexcept;

}  // namespace adoc::cli
