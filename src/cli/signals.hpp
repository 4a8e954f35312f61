#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "util/sanitized.hpp"

namespace adoc::cli {

/// SIGINT, SIGTERM and SIGHUP end the process at once with 130, for the time without a
/// StopOnSignals (and without its threads, when nothing has been begun that must be ended in
/// order). SIGHUP that nohup ignores stays ignored.
void end_at_once_on_signals() noexcept;

/// Turns SIGINT, SIGTERM and SIGHUP into a stop request, so that the work ends in order. What has
/// not ended after kTimeToEnd, because a block takes seconds to compress or the other side does not
/// listen, ends with the process: with 130, as by a second signal. Nothing is lost by that which a
/// power cut would not lose either. SIGPIPE is ignored: a lost connection is an error of the
/// write. Make the only one before any other thread starts, since threads inherit what is blocked.
class StopOnSignals {
 public:
  static constexpr std::chrono::milliseconds kTimeToEnd{kSanitized ? 5'000 : 700};

  /// `left` is said when the process ends before its work: what that leaves, true at any time.
  /// Throws Error(internal) when the system has no descriptors left.
  explicit StopOnSignals(std::string left = {});
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  void watch() noexcept;

  const std::string left_;
  int signal_fd_;
  int end_fd_;  ///< readable once the watcher shall end
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace adoc::cli
