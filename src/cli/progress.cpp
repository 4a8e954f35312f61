#include "cli/progress.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

namespace adoc::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kBeforeSentences{2};
constexpr std::chrono::seconds kBetweenSentences{10};

}  // namespace

ProgressTicker::ProgressTicker(ProgressMode mode, StatusLine& status, Source source)
    : mode_(mode),
      status_(status),
      source_(std::move(source)),
      begin_(RateMeter::Clock::now()),
      next_sentence_(begin_ + kBeforeSentences) {
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
  try {
    leave();
  } catch (const std::bad_alloc&) {
    status_.erase();
  }
}

void ProgressTicker::leave() {
  std::optional<Moment> moment = source_();
  if (!moment || !drawn_ || !status_.can_draw()) return status_.erase();
  ProgressView view = view_of(*std::move(moment));
  if (view.progress.finished) {
    const std::chrono::duration<double> all = RateMeter::Clock::now() - begin_;
    view.seconds = all.count();
    view.raw_bytes_per_second = static_cast<double>(view.progress.raw_bytes) / view.seconds;
    view.wire_bytes_per_second = static_cast<double>(view.progress.wire_bytes) / view.seconds;
  }
  status_.draw(progress_bar(view, status_.width()));
  status_.keep();
}

ProgressView ProgressTicker::view_of(Moment moment) {
  meter_.add(moment.progress, RateMeter::Clock::now());
  return {.progress = moment.progress,
          .waiting_for = std::move(moment.waiting_for),
          .file = std::move(moment.file),
          .raw_bytes_per_second = meter_.raw_bytes_per_second(),
          .wire_bytes_per_second = meter_.wire_bytes_per_second()};
}

void ProgressTicker::show() {
  std::optional<Moment> moment = source_();
  if (!moment) {
    meter_ = RateMeter();
    drawn_ = false;
    status_.erase();
    return;
  }
  const ProgressView view = view_of(*std::move(moment));
  const auto now = RateMeter::Clock::now();
  // Asked each time: a shell may put us into the background and back.
  if (status_.can_draw()) {
    status_.draw(progress_bar(view, status_.width()));
    drawn_ = true;
  } else if (mode_ == ProgressMode::always && now >= next_sentence_) {
    next_sentence_ = now + kBetweenSentences;
    // Asked for by name, so that only --log-level off silences it.
    spdlog::log(spdlog::level::critical, "{}", progress_sentence(view));
  }
}

}  // namespace adoc::cli
