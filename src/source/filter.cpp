#include "source/filter.hpp"

#include <optional>

namespace adoc {

namespace {

/// Matches one character against the class that `pattern` starts with ("[...]") and cuts the class
/// off; none when the bracket is never closed and so stands for itself.
std::optional<bool> match_class(std::string_view& pattern, char c) noexcept {
  std::size_t at = 1;
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  bool found = false;
  for (bool first = true; at < pattern.size(); first = false) {
    if (pattern[at] == ']' && !first) {
      pattern.remove_prefix(at + 1);
      return found != negated;
    }
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    const char low = pattern[at++];
    char high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      high = pattern[at + 1];
      at += 2;
    }
    const auto value = static_cast<unsigned char>(c);
    found = found ||
            (static_cast<unsigned char>(low) <= value && value <= static_cast<unsigned char>(high));
  }
  return std::nullopt;
}

bool matches(std::string_view pattern, std::string_view name, bool is_directory) noexcept {
  if (pattern.ends_with("/***")) {
    // The directory, as with "/", and all that is below it, as with "/**".
    pattern.remove_suffix(1);
    return matches(pattern, name, is_directory) ||
           matches(pattern.substr(0, pattern.size() - 2), name, is_directory);
  }
  if (pattern.ends_with('/')) {
    if (!is_directory) return false;
    pattern.remove_suffix(1);
  }
  if (pattern.starts_with('/')) return wildcard_match(pattern.substr(1), name);
  const bool whole_path = pattern.find('/') != pattern.npos || pattern.find("**") != pattern.npos;
  if (!whole_path) return wildcard_match(pattern, name.substr(name.rfind('/') + 1));
  // Any tail of the name that begins at a component.
  for (std::string_view tail = name;;) {
    if (wildcard_match(pattern, tail)) return true;
    const std::size_t slash = tail.find('/');
    if (slash == tail.npos) return false;
    tail.remove_prefix(slash + 1);
  }
}

}  // namespace

bool Filter::includes(std::string_view name, bool is_directory) const {
  for (const FilterRule& rule : rules_)
    if (matches(rule.pattern, name, is_directory)) return rule.include;
  return true;
}

bool wildcard_match(std::string_view pattern, std::string_view text) noexcept {
  while (!pattern.empty()) {
    if (pattern.front() == '*') {
      const bool deep = pattern.starts_with("**");
      pattern.remove_prefix(deep ? 2 : 1);
      for (;; text.remove_prefix(1)) {
        if (wildcard_match(pattern, text)) return true;
        if (text.empty() || (!deep && text.front() == '/')) return false;
      }
    }
    if (text.empty()) return false;
    if (pattern.front() == '[') {
      if (const auto in_class = match_class(pattern, text.front())) {
        if (!*in_class || text.front() == '/') return false;
        text.remove_prefix(1);
        continue;
      }
    } else if (pattern.front() == '?') {
      if (text.front() == '/') return false;
      pattern.remove_prefix(1);
      text.remove_prefix(1);
      continue;
    } else if (pattern.front() == '\\' && pattern.size() > 1) {
      pattern.remove_prefix(1);
    }
    if (pattern.front() != text.front()) return false;
    pattern.remove_prefix(1);
    text.remove_prefix(1);
  }
  return text.empty();
}

}  // namespace adoc
