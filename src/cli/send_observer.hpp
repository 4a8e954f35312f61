#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "adoc/lossy.hpp"
#include "adoc/observer.hpp"
#include "cli/series.hpp"
#include "cli/standard_streams.hpp"
#include "cli/trace.hpp"

namespace spdlog {
class logger;
}

namespace adoc::cli {

/// Tells about the connection and the entries of a transfer in the log, and about its decisions in
/// the trace and the series.
class SendObserver : public Observer, public LossyObserver {
 public:
  /// All that is pointed to outlives the observer, and may be null.
  struct Setup {
    TraceWriter* trace = nullptr;   ///< of --trace
    Series* series = nullptr;       ///< what --report and --explain are made of
    Printer* would_send = nullptr;  ///< gets the names of a --dry-run
    bool lists_unchanged = false;   ///< on_entry() also tells of what was there already
  };
  explicit SendObserver(const Setup& setup) : setup_(setup) {}

  void on_decision(const Decision& decision) override;
  void on_observation(const Observation& seen) override;
  void on_connecting(const Connecting& connecting) override;
  void on_retry(const Retry& retry) override;
  void on_connections(std::size_t count) override;
  void on_left_out(std::string_view path, std::string_view why) override;
  void on_changed(std::string_view path) override;
  void on_broken_items(std::string_view path, std::size_t item_bytes) override;
  void on_lossy(std::string_view path, const LossyFigures& figures) override;
  void on_lossy_text(std::string_view path) override;
  void on_place(const Progress& progress) override;
  void on_crossing(std::string_view path) override;
  void on_entry(std::string_view path, EntryOutcome outcome, std::string_view message) override;

  /// At the end of a transfer: what to do about a system's socket buffers, where these limited it.
  void tell_of_buffers() const;

  /// What is waited for, as "connecting to 10.0.0.5:4400"; empty while there is a connection. Any
  /// thread.
  [[nodiscard]] std::string waiting_for() const;
  /// Whose contents arrive on the other side now; empty where nothing is known of that. Any thread.
  [[nodiscard]] std::string file() const;

 private:
  template <typename Seen>
  void add_to_series(const Seen& seen) noexcept;

  mutable std::mutex mutex_;  ///< one row and one name at a time
  std::string waiting_for_;
  std::string file_;  ///< whose contents arrive now
  Observation latest_{};
  Setup setup_;
};

struct LoggedOutcome {
  EntryOutcome outcome;
  std::string_view message;
  bool lists_unchanged;  ///< also what was there already, or is kept
};
/// One log line: an error for an entry that failed, else detail for -v.
void log_entry(std::string_view path, const LoggedOutcome& entry);

/// Detail for -v: how a file that has come is not as its source.
void log_lossy_file(std::string_view path, const Lossy& lossy);

/// At the end of a transfer: what was not sent, and what of the rest is not kept, a line of each.
void log_not_kept(const NotKept& not_kept);
void log_not_kept(const NotKept& not_kept, spdlog::logger& log);

/// What a side that sends is told of its sources.
[[nodiscard]] std::string left_out_text(std::string_view path, std::string_view why);
[[nodiscard]] std::string changed_text(std::string_view path);
[[nodiscard]] std::string broken_items_text(std::string_view path, std::size_t item_bytes);
[[nodiscard]] std::string lossy_text_text(std::string_view path);

}  // namespace adoc::cli
