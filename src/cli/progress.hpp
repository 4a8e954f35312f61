#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "adoc/observer.hpp"
#include "cli/output_options.hpp"
#include "cli/progress_text.hpp"
#include "cli/rate_meter.hpp"
#include "cli/status_line.hpp"

namespace adoc::cli {

/// Shows how a transfer goes for as long as it lives, from a thread of its own. What is drawn last
/// stays on the screen, if anything is under way then.
class ProgressTicker {
 public:
  struct Moment {
    Progress progress;
    std::string waiting_for;  ///< as SendObserver says it; empty: for nothing
    std::string file{};       ///< whose contents arrive now; may be empty
  };
  /// Nothing while no transfer is under way. Called from the ticker's thread.
  using Source = std::function<std::optional<Moment>()>;

  /// `status` outlives the ticker.
  ProgressTicker(ProgressMode mode, StatusLine& status, Source source);

 private:
  void run(const std::stop_token& stop);
  void show();
  void leave();
  [[nodiscard]] ProgressView view_of(Moment moment);

  ProgressMode mode_;
  StatusLine& status_;
  Source source_;
  RateMeter meter_;
  RateMeter::Clock::time_point begin_;
  RateMeter::Clock::time_point next_sentence_;
  bool drawn_ = false;   ///< of what is under way
  std::jthread thread_;  ///< last: it uses all the others
};

}  // namespace adoc::cli
