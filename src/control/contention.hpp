#pragma once

#include "control/policy.hpp"

namespace adoc {

/// How much longer work takes by the clock than what is learned of it says, because threads stand
/// still: others have the processors meanwhile, our own at either end as well. A block that takes
/// longer is interrupted more often, so that by the clock it costs more than in proportion; what it
/// takes a processor leaves out what its bytes cost others. What is learned lies between the two.
///
/// Under a quota, or on a machine that is busy with other things, all threads pause for many
/// milliseconds at times, between blocks that are done as fast as ever.
class Contention {
 public:
  /// What is learned of the block's level.
  [[nodiscard]] static double own_seconds(const BlockResult& block) noexcept;

  /// Of a block whose processor's seconds are known; `seconds` is when it ended.
  void follow(double seconds, const BlockResult& block) noexcept;

  /// So many times as long as that all work takes by the clock, lately and on average.
  [[nodiscard]] double factor() const noexcept { return factor_; }
  /// So many times what it takes a processor is thought of any work, another program's as well.
  [[nodiscard]] double processor_factor() const noexcept { return processor_factor_; }
  /// Whether threads pause, and do not just share the processors with a few more.
  [[nodiscard]] bool paused() const noexcept { return paused_; }

 private:
  [[nodiscard]] static double own(double wall, double processor) noexcept;

  double seconds_ = 0;  ///< when it was followed last
  // Of blocks lately, older ones less.
  double wall_ = 0;
  double processor_ = 0;
  double factor_ = 1;
  double processor_factor_ = 1;
  bool paused_ = false;
};

}  // namespace adoc
