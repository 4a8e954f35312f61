#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "adoc/receive.hpp"
#include "cli/standard_streams.hpp"

namespace adoc::cli {

/// Tells about each transfer and its entries in the log, and about the figures on standard output.
class RecvObserver : public ReceiveObserver {
 public:
  /// `figures` gets the JSON lines of --json, else is null; it outlives the observer.
  /// `out` is where all goes, `lists_unchanged` has on_entry() tell of what was there already.
  struct Setup {
    Printer* figures = nullptr;
    std::string out{};
    bool lists_unchanged = false;
    bool unpacks = false;  ///< a file, which has no sender
  };
  explicit RecvObserver(Setup setup) : setup_(std::move(setup)) {}

  void on_leftovers(const Leftovers& left) override;
  void on_connected(std::uint64_t transfer, std::string_view peer) override;
  void on_verdict(const Verdict& verdict) override;
  void on_lost(const Verdict& verdict, std::chrono::milliseconds wait) override;
  void on_lossy_file(std::string_view path, const Lossy& lossy) override;
  void on_entry(std::string_view path, EntryOutcome outcome, std::string_view message) override;
  void on_refused(std::string_view peer, std::string_view why) override;

 private:
  void say(const Verdict& verdict) const;

  Setup setup_;
  std::chrono::steady_clock::time_point refusals_since_{};
  int refusals_ = 0;  ///< since then
};

/// The Error that ended a transfer as a whole, in words; empty when it went to its end.
[[nodiscard]] std::string failure_message(const Verdict& verdict);

/// Of adoc-recv --once.
[[nodiscard]] int exit_code(const Verdict& verdict);

}  // namespace adoc::cli
