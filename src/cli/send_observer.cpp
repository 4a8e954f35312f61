#include "cli/send_observer.hpp"

#include <spdlog/spdlog.h>

#include <string>

#include "cli/messages.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

const char* in_words(EntryOutcome outcome) {
  switch (outcome) {
    case EntryOutcome::committed:
      return "committed";
    case EntryOutcome::unchanged:
      return "unchanged";
    case EntryOutcome::kept:
      return "kept what is there";
    case EntryOutcome::failed:
      break;
  }
  return "failed";
}

}  // namespace

void log_entry(std::string_view path, EntryOutcome outcome, std::string_view message) {
  if (outcome == EntryOutcome::failed) {
    spdlog::error("{}", entry_message(path, message));
  } else {
    spdlog::debug("{}: {}", quoted(path), in_words(outcome));
  }
}

void SendObserver::on_decision(const Decision& decision) {
  spdlog::trace("block {}: {} bytes as {} ({}), level {}, FIFO {} packets, {}", decision.block,
                decision.raw_bytes, decision.wire_bytes, decision.codec, decision.level,
                decision.fifo_packets, decision.reason);
  if (trace_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  trace_->write(decision);
}

void SendObserver::on_retry(const Retry& retry) {
  spdlog::warn("{}; connecting again in {:.1f} s (attempt {} of {})", retry.reason,
               static_cast<double>(retry.wait.count()) / 1e3, retry.attempt, retry.attempts);
}

void SendObserver::on_entry(std::string_view path, EntryOutcome outcome, std::string_view message) {
  if (would_send_ == nullptr || outcome != EntryOutcome::committed) {
    log_entry(path, outcome, message);
    return;
  }
  const std::lock_guard lock(mutex_);
  would_send_->print(printable(path) + "\n");
}

}  // namespace adoc::cli
