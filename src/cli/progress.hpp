#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "adoc/observer.hpp"
#include "cli/command_line.hpp"
#include "cli/rate_meter.hpp"
#include "cli/status_line.hpp"

namespace adoc::cli {

/// Shows how a transfer goes for as long as it lives, from a thread of its own; the last thing it
/// does is to leave the line empty.
class ProgressTicker {
 public:
  struct Moment {
    Progress progress;
    std::string waiting_for;  ///< as SendObserver says it; empty: for nothing
  };
  /// Nothing while no transfer is under way. Called from the ticker's thread.
  using Source = std::function<std::optional<Moment>()>;

  /// `status` outlives the ticker.
  ProgressTicker(ProgressMode mode, StatusLine& status, Source source);

 private:
  void run(const std::stop_token& stop);
  void show();

  ProgressMode mode_;
  StatusLine& status_;
  Source source_;
  RateMeter meter_;
  RateMeter::Clock::time_point last_sentence_;
  std::jthread thread_;  ///< last: it uses all the others
};

}  // namespace adoc::cli
