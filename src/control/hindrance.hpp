#pragma once

#include "control/policy.hpp"

namespace adoc {

/// How much longer work takes than what is learned of it says, because threads stand still: under a
/// quota, or on a machine that is busy with other things, all of them pause for many milliseconds
/// at times, between blocks that are done as fast as ever.
class Hindrance {
 public:
  /// What is learned of the block's level: pauses are no part of that.
  [[nodiscard]] static double own_seconds(const BlockResult& block) noexcept;

  /// `seconds` is when the block ended.
  void follow(double seconds, const BlockResult& block) noexcept;

  /// So many times as long as that all work takes, lately and on average; 1 where threads get a
  /// processor when they need one, or soon.
  [[nodiscard]] double factor() const noexcept { return factor_; }
  [[nodiscard]] bool hinders() const noexcept { return factor_ > 1; }

 private:
  double seconds_ = 0;  ///< when it was followed last
  // Of blocks lately, older ones less.
  double wall_ = 0;
  double processor_ = 0;
  double own_ = 0;
  double factor_ = 1;
};

}  // namespace adoc
