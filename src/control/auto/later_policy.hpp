#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "control/auto/data_model.hpp"
#include "control/contention.hpp"
#include "control/level_range.hpp"
#include "control/policy.hpp"

namespace adoc {

/// For what is compressed now and sent later, over a link whose rate is known: one takes its time
/// after the other, so that for each block the level is best with the least sum of both,
///
///     work / threads + wire / rate
///
/// whatever became of the blocks before; of threads only those count that others leave the
/// processors to. What levels do to data is learned as by AutoPolicy, and an
/// untried one is thought a little better than expected.
class LaterPolicy final : public Policy {
 public:
  struct Setup {
    const Ladder& ladder;
    LevelRange range{};
    std::size_t threads = 1;
    std::size_t block_bytes = 0;          ///< 0: by level
    std::size_t memory_bytes = SIZE_MAX;  ///< of one thread
    double rate = 1;                      ///< bytes a second
    LevelPrior prior = level_prior(ladder);
  };

  explicit LaterPolicy(const Setup& setup);

  [[nodiscard]] Plan plan(const LinkState& link) override;
  [[nodiscard]] Choice choose(const LinkState& link, const SampleStats& stats,
                              std::size_t raw_bytes) override;
  void learn(const LinkState& link, const BlockResult& result) override;

 private:
  /// `raw_bytes` 0: the level's own length of block, or as much as has come so far.
  [[nodiscard]] int best(const LinkState& link, std::size_t kind, double raw_bytes) const;
  [[nodiscard]] double length(int level) const;

  Setup setup_;
  DataModel data_;
  Contention contention_;
  std::size_t kind_ = 0;  ///< of the last block
  double seen_bytes_ = 0;
};

}  // namespace adoc
