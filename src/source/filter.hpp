#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adoc/options.hpp"

namespace adoc {

/// The --include and --exclude rules of a transfer, as rsync reads them: the first pattern that
/// matches decides, and what none matches is included. `*` stops at a slash, `**` does not, `?` is
/// one character, `[a-z]` a class; a leading slash ties the pattern to the top of the transfer, a
/// trailing one to directories, and a pattern with a slash or `**` inside is held against the end
/// of the whole name rather than against its last component.
class Filter {
 public:
  Filter() = default;
  explicit Filter(std::vector<FilterRule> rules) : rules_(std::move(rules)) {}

  /// `name` is relative to the top of the transfer, without slashes at its ends.
  [[nodiscard]] bool includes(std::string_view name, bool is_directory) const;

 private:
  std::vector<FilterRule> rules_;
};

/// Whether the whole of `text` matches.
[[nodiscard]] bool wildcard_match(std::string_view pattern, std::string_view text) noexcept;

}  // namespace adoc
