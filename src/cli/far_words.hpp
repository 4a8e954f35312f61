#pragma once

#include <string>
#include <thread>

#include "cli/status_line.hpp"
#include "util/fd.hpp"
#include "util/wakeup.hpp"

namespace adoc::cli {

/// What ssh says on standard error, and through it whatever runs on another machine: on a terminal
/// its lines are shown printable (util/safe_name.hpp), above the status line. What is no terminal
/// gets the bytes as they are, as of ssh itself.
class FarWords {
 public:
  /// Begins a thread where standard error is a terminal. Throws Error(internal) when there is no
  /// descriptor left. The status line outlives this.
  explicit FarWords(StatusLine& status);
  /// Shows what was said until then.
  ~FarWords();
  FarWords(const FarWords&) = delete;
  FarWords& operator=(const FarWords&) = delete;

  /// The standard error of programs that are started; -1: the same as ours.
  [[nodiscard]] int fd() const noexcept { return theirs_.get(); }

 private:
  void listen() noexcept;
  [[nodiscard]] bool take();
  void show(std::size_t end);

  StatusLine& status_;
  Fd ours_;
  Fd theirs_;
  std::string line_;  ///< that is not whole yet
  Wakeup done_;
  std::jthread thread_;
};

}  // namespace adoc::cli
