#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/habits.hpp"
#include "cli/output_options.hpp"

namespace adoc::cli {

/// The frame of a program's --help around its groups of options.
struct ProgramText {
  std::string name;
  std::string purpose;
  std::string usage;
  std::string examples;
  /// Options that --help shows, by one of their names, besides those of the group Help; the others
  /// are for --help-all. None of them: it shows all.
  std::vector<std::string_view> common{};
  std::span<const Habit> habits{};  ///< what people type that have another program in mind
};

/// What is on the command line beside the options.
struct Arguments {
  std::vector<std::string> operands;
  std::optional<std::string> print;  ///< the answer to --help or --version, printed instead of work
};

/// A parser with --help and --version, whose options may be repeated: the last one counts.
class CommandLine {
 public:
  explicit CommandLine(const ProgramText& text);

  [[nodiscard]] CLI::App& app() noexcept { return app_; }

  /// An option with a value, which must not be empty; `value_name` is what --help shows for it.
  CLI::Option* add(const std::string& names, const std::string& value_name, std::string& target,
                   const std::string& description);

  /// Adds --json, --progress, -q, -v and --log-level. The result is complete after parse(). What -q
  /// and -v say contradicts each other, but where -q is just for no bar, as with scp.
  void add_output_options(OutputOptions& options, bool takes_both = false);

  /// Throws Error(usage). Call it once.
  [[nodiscard]] Arguments parse(int argc, const char* const* argv);

 private:
  void finish_output_options();

  CLI::App app_;
  std::span<const Habit> habits_;
  OutputOptions* output_ = nullptr;
  std::string progress_ = "auto";
  std::string log_level_;
  bool quiet_ = false;
  bool verbose_ = false;
  std::vector<std::string_view> common_;
};

}  // namespace adoc::cli
