#pragma once

#include "control/policy.hpp"

namespace adoc {

/// The time that blocks take by the clock over the time that they have a processor. They wait for
/// one while others have it, our own threads at either end as well, or while a quota lets none of
/// our threads run. What is learned of levels is a processor's time.
class Contention {
 public:
  /// `factor`: what an earlier transfer ended with, which is thought until blocks tell.
  explicit Contention(double factor = 1);

  /// Of a block whose processor's seconds are known; `seconds` is when it ended.
  void follow(double seconds, const BlockResult& block) noexcept;

  /// The mean of blocks lately, no less than 1.
  [[nodiscard]] double factor() const noexcept { return factor_; }

 private:
  double factor_;
  double seconds_ = 0;  ///< when it was followed last
  // Of blocks lately, older ones less.
  double wall_;
  double processor_ = 0;
};

}  // namespace adoc
