#pragma once

#include <string_view>
#include <vector>

#include "adoc/options.hpp"
#include "source/filter_pattern.hpp"

namespace adoc {

/// The --include and --exclude rules of a transfer, as rsync reads them: the first pattern that
/// matches decides, and what none matches is included. "- " and "+ " in front of a pattern count
/// more than the option, "!" forgets the rules before it, and an empty one is none.
class Filter {
 public:
  Filter() = default;
  /// Throws Error(usage) for a rule that rsync would not take, and a pattern that is too large.
  explicit Filter(const std::vector<FilterRule>& rules);

  /// `name` is relative to the top of the transfer, without slashes at its ends.
  [[nodiscard]] bool includes(std::string_view name, bool is_directory) const;

 private:
  struct Rule {
    bool include;
    FilterPattern pattern;
  };
  std::vector<Rule> rules_;
};

}  // namespace adoc
