#include "cli/command_line.hpp"

#include <algorithm>
#include <memory>

#include "adoc/error.hpp"
#include "adoc/version.hpp"
#include "cli/unknown_option.hpp"
#include "cli/values.hpp"

namespace adoc::cli {
namespace {

constexpr const char* kHelpGroup = "Help";

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter(std::string usage, std::vector<std::string_view> common)
      : usage_(std::move(usage)), common_(std::move(common)) {
    column_width(30);
  }
  void show_all() { common_.clear(); }

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const override {
    std::string groups = make_groups(app, mode);
    // Without all options there are too few for groups.
    if (!common_.empty())
      for (std::size_t gap = 0; (gap = groups.find("\n\n")) != std::string::npos;)
        groups.erase(gap, 1);
    return "Usage: " + usage_ + "\n" + app->get_description() + "\n\n" + groups + "\n" +
           make_footer(app);
  }

  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override {
    std::string text = common_.empty() ? group + ":\n" : "";
    for (const CLI::Option* const option : options)
      if (is_shown(*option)) text += make_option(option, positional);
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
  [[nodiscard]] bool is_shown(const CLI::Option& option) const {
    const auto is_common = [this](const std::string& name) {
      return std::ranges::find(common_, name) != common_.end();
    };
    return common_.empty() || option.get_group() == kHelpGroup ||
           std::ranges::any_of(option.get_lnames(), is_common) ||
           std::ranges::any_of(option.get_snames(), is_common);
  }

  std::string usage_;
  std::vector<std::string_view> common_;
};

bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument.front() == '-';
}

/// What the parser is given. To it "--trace= file" is "--trace file", and "--json=5" is "--json"
/// five times: whoever had a variable there that is empty would lose a file.
std::vector<std::string> checked_arguments(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> words;
  bool is_value = false;
  bool are_operands = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const bool may_be_option = !are_operands && !is_value && word.starts_with('-');
    const CLI::Option* const option = may_be_option ? app.get_option_no_throw(name) : nullptr;
    const bool takes_value = option != nullptr && option->get_items_expected_max() > 0;
    are_operands = are_operands || (may_be_option && word == "--");
    is_value = takes_value && equals == std::string::npos;
    if (option != nullptr && !takes_value && equals != std::string::npos)
      throw Error(ErrorKind::usage, name + " takes no value");
    if (takes_value && equals + 1 == word.size()) {
      words.insert(words.end(), {name, ""});
    } else {
      words.push_back(word);
    }
  }
  return words;
}

/// Of all options of the program, with their dashes.
std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The word that has this end: of "-nx", what is left when the option -n is taken out is "-x".
const std::string& whole_word(const std::vector<std::string>& words, const std::string& rest) {
  if (std::ranges::find(words, rest) != words.end()) return rest;
  for (const std::string& word : words)
    if (word.starts_with('-') && !word.starts_with("--") && word.ends_with(rest.substr(1)))
      return word;
  return rest;
}

/// The operands are taken from what the parser did not recognise, since its own positional
/// arguments split a name like "[a,b]" at the comma.
std::vector<std::string> operands_of(const CLI::App& app, const std::vector<std::string>& words,
                                     std::span<const Habit> habits) {
  const std::vector<std::string> unrecognised = app.remaining();
  const auto mark = std::find(unrecognised.begin(), unrecognised.end(), "--");
  const auto option = std::find_if(unrecognised.begin(), mark, looks_like_option);
  if (option != mark)
    throw Error(ErrorKind::usage,
                unknown_option_message(whole_word(words, *option), names_of(app), habits));
  std::vector<std::string> operands(unrecognised.begin(), mark);
  if (mark != unrecognised.end()) operands.insert(operands.end(), mark + 1, unrecognised.end());
  return operands;
}

}  // namespace

CommandLine::CommandLine(const ProgramText& text)
    : app_(text.purpose, text.name), habits_(text.habits), common_(text.common) {
  app_.formatter(std::make_shared<HelpFormatter>(text.usage, text.common));
  app_.footer(text.examples);
  app_.allow_extras();
  app_.option_defaults()->take_last();
  app_.set_help_flag();
}

CLI::Option* CommandLine::add(const std::string& names, const std::string& value_name,
                              std::string& target, const std::string& description) {
  return app_.add_option(names, target, description)
      ->option_text(value_name)
      ->check([](const std::string& value) { return value.empty() ? "its value is empty" : ""; });
}

void CommandLine::add_output_options(OutputOptions& options, bool takes_both) {
  output_ = &options;
  app_.option_defaults()->group("Output");
  add("--progress", "WHEN", progress_,
      "auto: a bar on a terminal, else nothing (default);\n"
      "always: plain lines elsewhere; never");
  app_.add_flag("--json", options.json, "statistics as a JSON line on standard output");
  auto* const quiet = app_.add_flag("-q,--quiet", quiet_, "errors only");
  auto* const verbose =
      app_.add_flag("-v,--verbose", verbose_, "a line for each entry that changes; -vv: for all");
  if (!takes_both) verbose->excludes(quiet);
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
  output_->lists_unchanged = app_.count("--verbose") > 1 || !log_level_.empty();
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
  app_.option_defaults()->group(kHelpGroup);
  app_.set_help_flag("-h,--help", common_.empty() ? "show this help" : "show what is used most");
  if (!common_.empty()) app_.set_help_all_flag("--help-all", "show all options");
  app_.set_version_flag("-V,--version", app_.get_name() + " " + std::string(version()),
                        "show the version");
  const std::vector<std::string> words = checked_arguments(app_, argc, argv);
  try {
    // It takes them from the last one on.
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return {.operands = {}, .print = app_.help()};
  } catch (const CLI::CallForAllHelp&) {
    std::static_pointer_cast<HelpFormatter>(app_.get_formatter())->show_all();
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
  return {.operands = operands_of(app_, words, habits_), .print = std::nullopt};
}

}  // namespace adoc::cli
