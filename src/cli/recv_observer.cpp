#include "cli/recv_observer.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <ctime>
#include <exception>
#include <new>

#include "adoc/error.hpp"
#include "cli/exit_code.hpp"
#include "cli/json.hpp"
#include "cli/lossy_values.hpp"
#include "cli/report.hpp"
#include "cli/send_observer.hpp"
#include "cli/standard_streams.hpp"
#include "cli/units.hpp"
#include "cli/words.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

/// Calls `with` for the error of a verdict, if there is one.
template <typename Function>
void for_failure(const Verdict& verdict, const Function& with) {
  if (verdict.failure == nullptr) return;
  try {
    std::rethrow_exception(verdict.failure);
  } catch (const Error& error) {
    with(error);
  } catch (const std::exception& error) {
    with(Error(ErrorKind::internal, error.what()));
  }
}

/// Seconds are enough to find it in other logs.
std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[32] = "";
  if (::localtime_r(&now, &local) != nullptr)
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

/// "; a, b and 3 more into inbox at 2026-01-31 12:34:56".
std::string what_and_where(const Statistics& statistics, const std::string& out) {
  std::string text = "; ";
  for (const std::string& name : statistics.first_names) {
    if (&name != &statistics.first_names.front()) text += ", ";
    text += adoc::quoted(name);
  }
  const std::uint64_t named = statistics.first_names.size();
  if (statistics.committed > named)
    text += " and " + std::to_string(statistics.committed - named) + " more";
  if (named != 0) text += " into " + adoc::quoted(out) + ' ';
  return text + "at " + now_text();
}

/// After an interruption of a transfer that did not come to its end.
std::string how_it_goes_on(const Statistics& statistics) {
  if (statistics.has_stream)
    return "; what has no size beforehand, as standard input, has to be sent again";
  return "; once adoc-recv runs again, the same adoc-send goes on from there";
}

}  // namespace

std::string failure_message(const Verdict& verdict) {
  std::string message;
  for_failure(verdict, [&message](const Error& error) { message = words_of(error); });
  return message;
}

int exit_code(const Verdict& verdict) {
  int code = exit_code(verdict.statistics);
  for_failure(verdict, [&code](const Error& error) { code = exit_code(error.kind()); });
  return code;
}

void RecvObserver::on_leftovers(const Leftovers& left) {
  const auto amount = [](std::uint64_t files, std::uint64_t bytes) {
    return std::to_string(files) + (files == 1 ? " file" : " files") + ", " +
           format_bytes(static_cast<double>(bytes));
  };
  if (!left.trouble.empty())
    spdlog::warn("warning: a transfer that breaks off cannot be resumed, .adoc is not used: {}",
                 left.trouble);
  if (left.removed_files > 0)
    spdlog::info("removed what could not be resumed any more: {}",
                 amount(left.removed_files, left.removed_bytes));
  if (left.files > 0)
    spdlog::info("unfinished, and resumed when they are sent again: {}",
                 amount(left.files, left.bytes));
}

void RecvObserver::on_connected(std::uint64_t transfer, std::string_view peer) {
  spdlog::debug("transfer {} from {}", transfer, peer);
}

void RecvObserver::on_lossy_file(std::string_view path, const Lossy& lossy) {
  log_lossy_file(path, lossy);
}

void RecvObserver::on_entry(std::string_view path, EntryOutcome outcome, std::string_view message) {
  log_entry(path, {outcome, message, setup_.lists_unchanged});
}

// A port scan must not fill the log.
void RecvObserver::on_refused(std::string_view peer, std::string_view why) {
  constexpr std::chrono::seconds kPeriod{10};
  constexpr int kMost = 10;
  const auto now = std::chrono::steady_clock::now();
  if (now - refusals_since_ > kPeriod) {
    if (refusals_ > kMost) spdlog::info("{} more were not let in", refusals_ - kMost);
    refusals_since_ = now;
    refusals_ = 0;
  }
  if (++refusals_ <= kMost) spdlog::info("{} was not let in: {}", peer, why);
}

void RecvObserver::on_lost(const Verdict& verdict, std::chrono::milliseconds wait) {
  spdlog::warn("transfer {} from {}: {}; waiting {:.0f} s for the sender to come back",
               verdict.transfer, verdict.peer, failure_message(verdict),
               static_cast<double>(wait.count()) / 1e3);
}

void RecvObserver::on_verdict(const Verdict& verdict) {
  try {
    say(verdict);
  } catch (const std::bad_alloc&) {
    static_cast<void>(write_all(
        STDERR_FILENO, "adoc-recv: a transfer has ended, and there is no memory to say how\n"));
  }
}

void RecvObserver::say(const Verdict& verdict) const {
  const std::string failure = failure_message(verdict);
  const std::string lossy = failure.empty() ? lossy_line(verdict.lossy) : std::string();
  if (setup_.unpacks) {
    if (failure.empty())
      spdlog::info("unpacked {}: {}{}", verdict.peer, figures_line(verdict.statistics),
                   what_and_where(verdict.statistics, setup_.out));
    else
      spdlog::error(
          "{}{}", failure,
          exit_code(verdict) == kExitInterrupted ? "; the same command goes on from there" : "");
    if (!lossy.empty()) spdlog::info("{}: {}", verdict.peer, lossy);
  } else if (failure.empty()) {
    spdlog::info("transfer {} from {}: {} {}{}", verdict.transfer, verdict.peer,
                 verdict.statistics.dry_run ? "dry run, would receive" : "received",
                 figures_line(verdict.statistics), what_and_where(verdict.statistics, setup_.out));
    if (!lossy.empty()) spdlog::info("transfer {}: {}", verdict.transfer, lossy);
  } else {
    spdlog::error("transfer {} from {} failed: {}{}", verdict.transfer, verdict.peer, failure,
                  exit_code(verdict) == kExitInterrupted ? how_it_goes_on(verdict.statistics) : "");
  }
  if (verdict.statistics.modes_trimmed != 0)
    spdlog::warn(
        "warning: transfer {}: set-uid, set-gid or sticky bits are not kept, entries that had "
        "them: "
        "{} (--keep-setuid keeps them)",
        verdict.transfer, verdict.statistics.modes_trimmed);
  if (setup_.figures == nullptr) return;
  Statistics statistics = verdict.statistics;
  if (!failure.empty()) statistics.errors.push_back(failure);
  setup_.figures->print(to_json(statistics, verdict.lossy) + "\n");
}

}  // namespace adoc::cli
