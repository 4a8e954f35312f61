#include "cli/progress.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

#include "cli/progress_text.hpp"

namespace adoc::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kBetweenSentences{2};

}  // namespace

ProgressTicker::ProgressTicker(ProgressMode mode, StatusLine& status, Source source)
    : mode_(mode),
      status_(status),
      source_(std::move(source)),
      last_sentence_(RateMeter::Clock::now()) {
  const bool anything =
      mode == ProgressMode::always || (mode == ProgressMode::automatic && status.can_draw());
  if (anything) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void ProgressTicker::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!never.wait_for(lock, stop, kRedraw, [&stop] { return stop.stop_requested(); })) {
    try {
      show();
    } catch (const std::bad_alloc&) {
      // The next time.
    }
  }
  status_.erase();
}

void ProgressTicker::show() {
  std::optional<Moment> moment = source_();
  if (!moment) {
    meter_ = RateMeter();
    status_.erase();
    return;
  }
  const auto now = RateMeter::Clock::now();
  meter_.add(moment->progress, now);
  const ProgressView view{.progress = moment->progress,
                          .waiting_for = std::move(moment->waiting_for),
                          .raw_bytes_per_second = meter_.raw_bytes_per_second(),
                          .wire_bytes_per_second = meter_.wire_bytes_per_second()};
  // Asked each time: a shell may put us into the background and back.
  if (status_.can_draw()) {
    status_.draw(progress_bar(view, status_.width()));
  } else if (mode_ == ProgressMode::always && now - last_sentence_ >= kBetweenSentences) {
    last_sentence_ = now;
    // Asked for by name, so that only --log-level off silences it.
    spdlog::log(spdlog::level::critical, "{}", progress_sentence(view));
  }
}

}  // namespace adoc::cli
