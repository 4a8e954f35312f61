#include "source/filter_pattern.hpp"

#include <re2/re2.h>

#include <algorithm>

#include "adoc/error.hpp"
#include "source/wildcards.hpp"
#include "util/safe_name.hpp"

namespace adoc {

namespace {

/// rsync drops what is longer, with a message; no name is.
constexpr std::size_t kMaxPatternBytes = 4'095;
/// Enough for any pattern of that length.
constexpr std::int64_t kMaxCompiledBytes = 8 << 20;
constexpr std::size_t kShownBytes = 40;

[[noreturn]] void refuse(std::string_view pattern, const std::string& why) {
  throw Error(ErrorKind::usage, "the pattern that begins with " +
                                    adoc::quoted(pattern.substr(0, kShownBytes)) +
                                    " is too large: " + why);
}

/// The last `count` components; none of a name that has fewer.
std::string_view last_components(std::string_view framed, std::size_t count) {
  std::size_t slash = framed.size() - 1;
  for (; count > 0; --count) {
    if (slash == 0) return {};
    slash = framed.rfind('/', slash - 1);
  }
  return framed.substr(slash + 1);
}

}  // namespace

// A backslash is no wildcard: a pattern without wildcards is taken literally, backslashes and all.
FilterPattern::FilterPattern(std::string_view text) {
  if (text.size() > kMaxPatternBytes)
    refuse(text, "it has " + std::to_string(text.size()) + " bytes, and at most " +
                     std::to_string(kMaxPatternBytes) + " are possible");
  if (text.size() > 1 && text.ends_with('/')) {
    directories_only_ = true;
    text.remove_suffix(1);
  }
  slashes_ = static_cast<std::size_t>(std::ranges::count(text, '/'));
  has_wildcards_ = text.find_first_of("*[?") != text.npos;
  anchored_ = text.starts_with('/');
  scope_ = scope_of(text, anchored_);
  takes_final_slash_ = text.ends_with("***");
  if (anchored_) text.remove_prefix(1);
  if (has_wildcards_) {
    compile(text);
  } else {
    literal_ = text;
  }
}

FilterPattern::Scope FilterPattern::scope_of(std::string_view text, bool anchored) {
  if (text.starts_with("**")) return Scope::whole_path;
  if (anchored) return Scope::whole;
  if (text.find("**") != text.npos) return Scope::any_depth;
  return text.find('/') != text.npos ? Scope::tail : Scope::leaf;
}

void FilterPattern::compile(std::string_view wildcards) {
  auto expression = regular_expression(wildcards);
  if (!expression) return;
  if (scope_ == Scope::any_depth) expression->insert(0, "(?:.*/)?");
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_dot_nl(true);
  options.set_log_errors(false);
  options.set_max_mem(kMaxCompiledBytes);
  auto compiled = std::make_shared<const re2::RE2>(*expression, options);
  if (!compiled->ok()) refuse(wildcards, "compiled, it takes more memory than there is for one");
  expression_ = std::move(compiled);
}

bool FilterPattern::matches(std::string_view framed, bool is_directory) const {
  if (directories_only_ && !is_directory) return false;
  std::string_view tested = framed.substr(1);
  if (scope_ == Scope::whole_path) tested = framed;
  if (scope_ == Scope::leaf) tested = last_components(framed, 1);
  if (scope_ == Scope::tail && has_wildcards_) tested = last_components(framed, slashes_ + 1);
  if (!has_wildcards_) return matches_literally(tested.substr(0, tested.size() - 1));
  if (expression_ == nullptr || tested.empty()) return false;
  if (!(takes_final_slash_ && is_directory)) tested.remove_suffix(1);
  return re2::RE2::FullMatch(re2::StringPiece(tested.data(), tested.size()), *expression_);
}

bool FilterPattern::matches_literally(std::string_view name) const {
  if (anchored_) return name == literal_;
  if (!name.ends_with(literal_)) return false;
  const std::size_t before = name.size() - literal_.size();
  return before == 0 || name[before - 1] == '/';
}

}  // namespace adoc
