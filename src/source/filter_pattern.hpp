#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace adoc {

/// The pattern of one filter rule, as rsync reads it (rsync(1), "PATTERN MATCHING RULES"). To match
/// a name takes time in proportion to its length, whatever the pattern is. Copies share what was
/// compiled; matching is safe in several threads.
class FilterPattern {
 public:
  /// `text` is not empty. Throws Error(usage) when it is too large to be compiled.
  explicit FilterPattern(std::string_view text);

  /// `framed` is a name relative to the top of the transfer with a slash at each end.
  [[nodiscard]] bool matches(std::string_view framed, bool is_directory) const;

 private:
  /// What of a name the pattern is held against.
  enum class Scope {
    leaf,        ///< its last component
    tail,        ///< as many of the last components as the pattern has
    any_depth,   ///< all that is behind a slash, and the whole
    whole,       ///< all of it
    whole_path,  ///< all of it, with a slash in front, which a leading "**" may take
  };

  static Scope scope_of(std::string_view text, bool anchored);
  [[nodiscard]] bool matches_literally(std::string_view name) const;
  void compile(std::string_view wildcards);

  std::string literal_;  ///< when there are no wildcards
  std::shared_ptr<const re2::RE2> expression_;
  std::size_t slashes_ = 0;
  Scope scope_ = Scope::leaf;
  bool anchored_ = false;
  bool has_wildcards_ = false;
  bool directories_only_ = false;
  bool takes_final_slash_ = false;  ///< "dir/***" is the directory, too
};

}  // namespace adoc
