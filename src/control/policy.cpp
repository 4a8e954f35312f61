#include "control/policy.hpp"

#include <string>

#include "adoc/error.hpp"
#include "control/adoc_policy.hpp"
#include "control/auto/auto_policy.hpp"
#include "control/fixed_policy.hpp"
#include "control/selective_policy.hpp"

namespace adoc {

namespace {

/// Jeannot 2002, section 3.5.
constexpr std::size_t kPaperBlockBytes = 204'800;

/// `why` comes behind the member's name.
[[noreturn]] void refuse(Hint member, const std::string& why) {
  throw Error(ErrorKind::usage, "", member, why);
}

int checked_level(std::optional<int> level, int absent, int top, Hint member) {
  const int value = level.value_or(absent);
  if (value < 0 || value > top)
    refuse(member, std::string(" ") + std::to_string(value) + ": this ladder has the levels 0 to " +
                       std::to_string(top));
  return value;
}

LevelRange checked_range(const PipelineOptions& options, int top) {
  const LevelRange range{.min = checked_level(options.min_level, 0, top, Hint::min_level),
                         .max = checked_level(options.max_level, top, top, Hint::max_level)};
  if (range.min > range.max)
    refuse(Hint::min_level, std::string(" ") + std::to_string(range.min) +
                                " is above the highest level, " + std::to_string(range.max));
  return range;
}

/// The paper's algorithm has one codec, a fast one: setting 1 of the ladder's densest codec.
int selective_level(const Ladder& ladder) {
  int level = ladder.top();
  while (level > 0 && (ladder[level].setting != 1 || is_dense(ladder[level].codec))) --level;
  return level;
}

std::unique_ptr<Policy> make_fixed(const PipelineOptions& options, const Ladder& ladder) {
  if (!options.level) refuse(Hint::level, " is missing: the policy is to use one and no other");
  const int level = checked_level(options.level, 0, ladder.last(), Hint::level);
  const std::size_t own_bytes = block_shape(ladder[level]).block_bytes;
  return std::make_unique<FixedPolicy>(level,
                                       options.block_bytes != 0 ? options.block_bytes : own_bytes);
}

}  // namespace

std::unique_ptr<Policy> make_policy(const PipelineOptions& options, const Ladder& ladder,
                                    std::size_t threads,
                                    const std::optional<PathMetrics>& path_metrics) {
  const PolicyKind kind = options.policy;
  const bool one_level = kind == PolicyKind::fixed || kind == PolicyKind::selective;
  if (one_level && (options.min_level || options.max_level))
    refuse(options.min_level ? Hint::min_level : Hint::max_level,
           " does not go with one fixed level");
  if (!one_level && options.level)
    refuse(Hint::level, " is one fixed level and does not go with a policy that chooses");
  const std::size_t block_bytes = options.block_bytes != 0 ? options.block_bytes : kPaperBlockBytes;
  if (kind == PolicyKind::fixed) return make_fixed(options, ladder);
  if (kind == PolicyKind::selective)
    return std::make_unique<SelectivePolicy>(SelectivePolicy::Setup{
        .level = checked_level(options.level, selective_level(ladder), ladder.last(), Hint::level),
        .block_bytes = block_bytes});
  if (kind == PolicyKind::automatic)
    return std::make_unique<AutoPolicy>(
        AutoPolicy::Setup{.ladder = ladder,
                          .range = checked_range(options, ladder.last()),
                          .threads = threads,
                          .block_bytes = options.block_bytes,
                          .memory_bytes = options.memory_limit() / threads,
                          .path_metrics = path_metrics.value_or(PathMetrics{}),
                          .later_rate = static_cast<double>(options.later_rate)});
  return std::make_unique<AdocPolicy>(
      AdocPolicy::Setup{.range = checked_range(options, ladder.top()),
                        .block_bytes = block_bytes,
                        .packet_bytes = options.packet_size()});
}

}  // namespace adoc
