#include "cli/command_line.hpp"

#include <algorithm>
#include <memory>

#include "adoc/error.hpp"
#include "adoc/version.hpp"
#include "cli/values.hpp"

namespace adoc::cli {
namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) { column_width(30); }

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const override {
    return "Usage: " + usage_ + "\n" + app->get_description() + "\n\n" + make_groups(app, mode) +
           "\n" + make_footer(app);
  }

  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override {
    std::string text = group + ":\n";
    for (const CLI::Option* const option : options) text += make_option(option, positional);
    return text;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }

  /// "-n, --dry-run" instead of "-n,--dry-run", and no "{false}" after the negated form of a flag.
  std::string make_option_name(const CLI::Option* option, bool) const override {
    std::string names;
    for (const std::string& name : option->get_snames()) names += "-" + name + ", ";
    if (names.empty()) names = "    ";
    for (const std::string& name : option->get_lnames()) names += "--" + name + ", ";
    return names.substr(0, names.size() - 2);
  }

 private:
  std::string usage_;
};

bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument.front() == '-';
}

/// The operands are taken from what the parser did not recognise, since its own positional
/// arguments split a name like "[a,b]" at the comma.
std::vector<std::string> operands_of(const std::vector<std::string>& unrecognised) {
  const auto mark = std::find(unrecognised.begin(), unrecognised.end(), "--");
  const auto option = std::find_if(unrecognised.begin(), mark, looks_like_option);
  if (option != mark) throw Error(ErrorKind::usage, "unknown option " + *option);
  std::vector<std::string> operands(unrecognised.begin(), mark);
  if (mark != unrecognised.end()) operands.insert(operands.end(), mark + 1, unrecognised.end());
  return operands;
}

}  // namespace

CommandLine::CommandLine(const ProgramText& text) : app_(text.purpose, text.name) {
  app_.formatter(std::make_shared<HelpFormatter>(text.usage));
  app_.footer(text.examples);
  app_.allow_extras();
  app_.option_defaults()->take_last();
  app_.set_help_flag();
}

CLI::Option* CommandLine::add(const std::string& names, const std::string& value_name,
                              std::string& target, const std::string& description) {
  return app_.add_option(names, target, description)->option_text(value_name);
}

void CommandLine::add_output_options(OutputOptions& options) {
  output_ = &options;
  app_.option_defaults()->group("Output");
  add("--progress", "WHEN", progress_,
      "auto: a bar on a terminal, else nothing (default);\n"
      "always: plain lines elsewhere; never");
  app_.add_flag("--json", options.json, "print the statistics as a JSON line on standard output");
  auto* const quiet = app_.add_flag("-q,--quiet", quiet_, "errors only");
  app_.add_flag("-v,--verbose", verbose_, "also one line for each file")->excludes(quiet);
  add("--log-level", "LEVEL", log_level_, "trace, debug, info, warn, error or off (default: info)");
}

void CommandLine::finish_output_options() {
  if (output_ == nullptr) return;
  output_->progress = parse_choice<ProgressMode>("--progress", progress_,
                                                 {{"auto", ProgressMode::automatic},
                                                  {"always", ProgressMode::always},
                                                  {"never", ProgressMode::never}});
  if (quiet_) {
    output_->log_level = spdlog::level::err;
    if (output_->progress == ProgressMode::automatic) output_->progress = ProgressMode::never;
  }
  if (verbose_) output_->log_level = spdlog::level::debug;
  if (!log_level_.empty()) {
    output_->log_level = parse_choice<spdlog::level::level_enum>("--log-level", log_level_,
                                                                 {{"trace", spdlog::level::trace},
                                                                  {"debug", spdlog::level::debug},
                                                                  {"info", spdlog::level::info},
                                                                  {"warn", spdlog::level::warn},
                                                                  {"error", spdlog::level::err},
                                                                  {"off", spdlog::level::off}});
  }
}

Arguments CommandLine::parse(int argc, const char* const* argv) {
  // Last, so that --help shows them last.
  app_.option_defaults()->group("Help");
  app_.set_help_flag("-h,--help", "show this help");
  app_.set_version_flag("-V,--version", app_.get_name() + " " + std::string(version()),
                        "show the version");
  try {
    app_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {.operands = {}, .print = app_.help()};
  } catch (const CLI::CallForVersion& answer) {
    return {.operands = {}, .print = std::string(answer.what()) + "\n"};
  } catch (const CLI::ExcludesError&) {
    throw Error(ErrorKind::usage, "--quiet and --verbose exclude each other");
  } catch (const CLI::ArgumentMismatch& error) {
    // "--level: 1 required TEXT missing"
    const std::string text = error.what();
    throw Error(ErrorKind::usage, text.substr(0, text.find(':')) + " needs a value");
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::usage, error.what());
  }
  finish_output_options();
  return {.operands = operands_of(app_.remaining()), .print = std::nullopt};
}

}  // namespace adoc::cli
