#include "cli/unknown_option.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "cli/nearest_word.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

std::optional<std::string> answer_to(std::string_view option, std::span<const Habit> habits) {
  for (const Habit& habit : habits)
    if (std::ranges::find(habit.options, option) != habit.options.end())
      return std::string(habit.answer);
  return std::nullopt;
}

/// Letters that may be written together, as in -avz: those that are not known, each with its
/// answer; none if there is a letter of which nothing can be said.
std::optional<std::string> answer_to_cluster(const std::string& typed,
                                             const std::vector<std::string>& known,
                                             std::span<const Habit> habits) {
  std::string answers;
  for (std::size_t i = 1; i < typed.size(); ++i) {
    const std::string option = {'-', typed[i]};
    if (std::ranges::find(known, option) != known.end()) continue;
    const auto answer = answer_to(option, habits);
    // A value that is written behind its letter, as in -P5000.
    if (!answer && !answers.empty() && !std::isalpha(static_cast<unsigned char>(typed[i]))) break;
    if (!answer) return std::nullopt;
    if (answers.find(option + ": ") != std::string::npos) continue;
    answers += (answers.empty() ? "" : "; ") + option + ": " + *answer;
  }
  return answers.empty() ? std::nullopt : std::optional(answers);
}

std::optional<std::string> nearest_option(std::string_view typed,
                                          const std::vector<std::string>& known) {
  std::vector<std::string> words;
  for (const std::string& option : known)
    if (option.starts_with("--")) words.push_back(option.substr(2));
  typed.remove_prefix(std::min(typed.find_first_not_of('-'), typed.size()));
  const auto nearest = nearest_word(typed, words);
  return nearest ? std::optional("--" + *nearest) : std::nullopt;
}

}  // namespace

std::string unknown_option_message(const std::string& typed, const std::vector<std::string>& known,
                                   std::span<const Habit> habits) {
  // Not what is behind an equals sign, which may be a key.
  const std::string name = typed.substr(0, typed.find('='));
  const std::string message = "unknown option " + printable(name);
  struct stat status {};
  if (::lstat(typed.c_str(), &status) == 0)
    return message + "; the file of this name is " + printable("./" + typed);
  if (const auto answer = answer_to(name, habits)) return message + ": " + *answer;
  const bool is_word = name.starts_with("--");
  const auto nearest = nearest_option(name, known);
  if (!is_word && !(nearest && "-" + name == *nearest))
    if (const auto answers = answer_to_cluster(name, known, habits))
      return message + " (" + *answers + ")";
  return nearest ? message + "; did you mean " + *nearest + "?" : message;
}

}  // namespace adoc::cli
