#include "control/policy.hpp"

#include <string>

#include "adoc/error.hpp"
#include "control/adoc_policy.hpp"
#include "control/fixed_policy.hpp"

namespace adoc {

namespace {

int checked_level(std::optional<int> level, int absent, int top, std::string_view option) {
  const int value = level.value_or(absent);
  if (value < 0 || value > top)
    throw Error(ErrorKind::usage, std::string(option) + " " + std::to_string(value) +
                                      ": this ladder has the levels 0 to " + std::to_string(top));
  return value;
}

}  // namespace

std::unique_ptr<Policy> make_policy(const PipelineOptions& options, int top) {
  const bool fixed = options.policy == PolicyKind::fixed;
  if (fixed && !options.level) throw Error(ErrorKind::usage, "--policy fixed needs a --level N");
  if (fixed && (options.min_level || options.max_level))
    throw Error(ErrorKind::usage, "--min-level and --max-level do not go with one fixed level");
  if (!fixed && options.level)
    throw Error(ErrorKind::usage,
                "--level N is one fixed level and does not go with this --policy");
  if (fixed) return std::make_unique<FixedPolicy>(checked_level(options.level, 0, top, "--level"));
  const LevelRange range{.min = checked_level(options.min_level, 0, top, "--min-level"),
                         .max = checked_level(options.max_level, top, top, "--max-level")};
  if (range.min > range.max)
    throw Error(ErrorKind::usage, "--min-level " + std::to_string(range.min) +
                                      " is above --max-level " + std::to_string(range.max));
  return std::make_unique<AdocPolicy>(range);
}

}  // namespace adoc
