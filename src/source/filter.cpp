#include "source/filter.hpp"

#include <string>

#include "adoc/error.hpp"
#include "util/safe_name.hpp"

namespace adoc {

Filter::Filter(const std::vector<FilterRule>& rules) {
  for (const FilterRule& rule : rules) {
    std::string_view pattern = rule.pattern;
    if (pattern.empty()) continue;
    if (pattern == "!") {
      rules_.clear();
      continue;
    }
    const bool prefixed = pattern.starts_with("- ") || pattern.starts_with("+ ");
    const bool include = prefixed ? pattern.front() == '+' : rule.include;
    if (prefixed) pattern.remove_prefix(2);
    if (pattern.empty())
      throw Error(ErrorKind::usage,
                  "the filter " + adoc::quoted(rule.pattern) + " ends before a pattern");
    rules_.push_back({.include = include, .pattern = FilterPattern(pattern)});
  }
}

bool Filter::includes(std::string_view name, bool is_directory) const {
  if (rules_.empty()) return true;
  std::string framed(1, '/');
  framed.append(name).push_back('/');
  for (const Rule& rule : rules_)
    if (rule.pattern.matches(framed, is_directory)) return rule.include;
  return true;
}

}  // namespace adoc
