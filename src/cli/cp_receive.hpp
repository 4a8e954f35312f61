#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "adoc/receive.hpp"
#include "cli/cp_options.hpp"
#include "cli/cp_ways.hpp"
#include "cli/standard_streams.hpp"
#include "transfer/stream_receiver.hpp"
#include "util/guarded.hpp"

namespace adoc::cli {

/// Tells the user what failed, and with -v what became of each entry.
class CpObserver : public ReceiveObserver {
 public:
  /// `would_receive` gets the names of a --dry-run, else is null; it outlives the observer.
  struct Setup {
    Printer* would_receive = nullptr;
    bool lists_unchanged = false;
    bool resumes = true;  ///< whether the same command goes on
  };
  explicit CpObserver(Setup setup) : setup_(setup) {}

  void on_leftovers(const Leftovers& left) override;
  void on_lossy_file(std::string_view path, const Lossy& lossy) override;
  void on_entry(std::string_view path, EntryOutcome outcome, std::string_view message) override;
  void on_verdict(const Verdict& verdict) override;
  void on_crossing(std::string_view path) override { *file_.lock() = path; }

  /// Whose contents arrive now; empty where nothing is known of that. Any thread.
  [[nodiscard]] std::string file() const { return *file_.lock(); }

 private:
  Setup setup_;
  Guarded<std::string> file_;
};

/// The receiving end of a copy, here or over there.
class CpReceiver {
 public:
  struct Setup {
    const CpCommand& command;
    std::string directory;
    std::optional<Asked> asked{};  ///< of one that asks another machine
    ReceiveObserver* observer;
  };
  explicit CpReceiver(Setup setup);

  /// Over the connections that there are, one after the other.
  [[nodiscard]] Verdict serve(CpWays& ways, const std::stop_token& stop);
  /// That, in threads that the kernel holds to the directory (util/sandbox.hpp): for a program
  /// that has other things to do.
  [[nodiscard]] Verdict serve_confined(CpWays& ways, const std::stop_token& stop);
  /// Over this one alone.
  [[nodiscard]] Verdict serve_confined(Stream& stream, const std::stop_token& stop);

  [[nodiscard]] Progress progress() const noexcept { return receiver_.progress(); }

 private:
  /// A connection, and where others may join it.
  struct Way {
    Stream& stream;
    ByteSpan heard{};
    std::optional<StreamReceiver::Door> door{};
  };
  using ServeOne = std::function<bool(const Way& way)>;
  [[nodiscard]] bool serve_one(const Way& way, const std::stop_token& stop);
  [[nodiscard]] Verdict serve_each(CpWays& ways, const ServeOne& serve_one,
                                   const std::stop_token& stop);
  [[nodiscard]] bool serve_in_thread(const Way& way, const std::stop_token& stop);

  std::string directory_;
  StreamReceiver receiver_;
};

}  // namespace adoc::cli
