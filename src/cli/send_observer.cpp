#include "cli/send_observer.hpp"

#include <spdlog/spdlog.h>

#include <new>
#include <string>

#include "cli/explain.hpp"
#include "cli/lossy_values.hpp"
#include "cli/messages.hpp"
#include "cli/progress_text.hpp"
#include "cli/report.hpp"
#include "cli/units.hpp"
#include "cli/words.hpp"
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
    case EntryOutcome::in_part:
      return "its part is there";
    case EntryOutcome::incomplete:
      return "committed, but for metadata";
    case EntryOutcome::failed:
      break;
  }
  return "failed";
}

const char* in_words(Connecting::Step step) {
  switch (step) {
    case Connecting::Step::looking_up:
      return "looking up ";
    case Connecting::Step::connecting:
      return "connecting to ";
    case Connecting::Step::connected:
      break;
  }
  return "connected to ";
}

}  // namespace

void log_entry(std::string_view path, const LoggedOutcome& entry) {
  if (entry.outcome == EntryOutcome::failed) {
    spdlog::error("{}", entry_message(path, entry.message));
  } else if (entry.outcome == EntryOutcome::incomplete) {
    spdlog::warn("{}", entry_message(path, entry.message));
  } else if (entry.outcome == EntryOutcome::committed || entry.lists_unchanged) {
    spdlog::debug("{}: {}", adoc::quoted(path), in_words(entry.outcome));
  }
}

void log_lossy_file(std::string_view path, const Lossy& lossy) {
  spdlog::debug("{}: lossy {} of {}, as the sender says", adoc::quoted(path), to_string(lossy),
                name_of(lossy.type));
}

// What decides who may read a file matters more than what else is lost.
void log_not_kept(const NotKept& not_kept) { log_not_kept(not_kept, *spdlog::default_logger()); }

void log_not_kept(const NotKept& not_kept, spdlog::logger& log) {
  if (const std::string line = not_sent_line(not_kept); !line.empty())
    log.warn("warning: {}", line);
  if (not_kept.receiver_keeps_none)
    log.warn(
        "warning: the other side takes no owners, hard links, extended attributes or access "
        "control lists: none are kept");
  const auto level = not_kept.access_lists > 0 ? spdlog::level::warn : spdlog::level::debug;
  if (const std::string line = not_kept_line(not_kept); !line.empty()) log.log(level, "{}", line);
}

std::string left_out_text(std::string_view path, std::string_view why) {
  return adoc::quoted(path) + " is left out: " + std::string(why);
}

std::string changed_text(std::string_view path) {
  return "warning: " + adoc::quoted(path) + " changed while it was read and was taken as it is";
}

std::string broken_items_text(std::string_view path, std::size_t item_bytes) {
  return "warning: " + adoc::quoted(path) + " is no whole number of items of " +
         std::to_string(item_bytes) + " bytes, as --dtype says; it is sent all the same, and " +
         "others like it are not named";
}

std::string lossy_text_text(std::string_view path) {
  return "warning: " + adoc::quoted(path) + " looks like text, and was sent lossy as the numbers " +
         "that --dtype says; others like it are not named";
}

void SendObserver::on_decision(const Decision& decision) {
  spdlog::trace("block {}: {} bytes as {} ({}), level {}, FIFO {} packets, {}", decision.block,
                decision.raw_bytes, decision.wire_bytes, decision.codec, decision.level,
                decision.fifo_packets, decision.reason);
  if (setup_.trace == nullptr && setup_.series == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (setup_.trace != nullptr) setup_.trace->write(decision);
  add_to_series(decision);
}

void SendObserver::on_observation(const Observation& seen) {
  const std::lock_guard lock(mutex_);
  latest_ = seen;
  add_to_series(seen);
}

void SendObserver::tell_of_buffers() const {
  const std::lock_guard lock(mutex_);
  if (const std::string advice = buffer_advice(latest_); !advice.empty())
    spdlog::warn("warning: {}", advice);
}

// The transfer matters more than its picture.
template <typename Seen>
void SendObserver::add_to_series(const Seen& seen) noexcept {
  try {
    if (setup_.series != nullptr) setup_.series->add(seen);
  } catch (const std::bad_alloc&) {
    setup_.series = nullptr;
  }
}

void SendObserver::on_connecting(const Connecting& connecting) {
  const bool done = connecting.step == Connecting::Step::connected;
  const std::string text = in_words(connecting.step) + std::string(connecting.address);
  spdlog::debug("{}", text);
  const std::lock_guard lock(mutex_);
  waiting_for_ = done ? "" : text;
}

void SendObserver::on_retry(const Retry& retry) {
  const double wait = static_cast<double>(retry.wait.count()) / 1e3;
  const std::string left = format_remaining(static_cast<double>(retry.left.count()) / 1e3);
  if (retry.reached)
    spdlog::warn("{}; connecting again in {:.1f} s (attempt {}, {} left)", words_of(*retry.failure),
                 wait, retry.attempt, left);
  else
    // Once it is clear what is waited for, and why, nobody needs to read it again every few
    // seconds.
    spdlog::log(retry.attempt == 1 ? spdlog::level::warn : spdlog::level::debug,
                "{}; waiting for the receiver, {} left", words_of(*retry.failure), left);
  const std::lock_guard lock(mutex_);
  waiting_for_ = retry.reached ? "" : "waiting for the receiver";
}

void SendObserver::on_connections(std::size_t count) {
  spdlog::debug("{} connections are there", count);
}

std::string SendObserver::waiting_for() const {
  const std::lock_guard lock(mutex_);
  return waiting_for_;
}

void SendObserver::on_crossing(std::string_view path) {
  const std::lock_guard lock(mutex_);
  file_ = path;
}

std::string SendObserver::file() const {
  const std::lock_guard lock(mutex_);
  return file_;
}

void SendObserver::on_left_out(std::string_view path, std::string_view why) {
  spdlog::warn("{}", left_out_text(path, why));
}

void SendObserver::on_changed(std::string_view path) { spdlog::warn("{}", changed_text(path)); }

void SendObserver::on_broken_items(std::string_view path, std::size_t item_bytes) {
  spdlog::warn("{}", broken_items_text(path, item_bytes));
}

void SendObserver::on_lossy(std::string_view path, const LossyFigures& figures) {
  spdlog::debug("{}: lossy, {}", adoc::quoted(path), lost_text(figures));
}

void SendObserver::on_lossy_text(std::string_view path) {
  spdlog::warn("{}", lossy_text_text(path));
}

void SendObserver::on_place(const Progress& progress) { spdlog::info("{}", place_text(progress)); }

void SendObserver::on_entry(std::string_view path, EntryOutcome outcome, std::string_view message) {
  if (setup_.would_send == nullptr || outcome != EntryOutcome::committed) {
    log_entry(path, {outcome, message, setup_.lists_unchanged});
    return;
  }
  const std::lock_guard lock(mutex_);
  setup_.would_send->print(printable_name(path) + "\n");
}

}  // namespace adoc::cli
