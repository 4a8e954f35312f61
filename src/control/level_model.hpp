#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "codec/ladder.hpp"
#include "codec/look.hpp"

namespace adoc {

/// What a level is expected to do to a block.
struct Prediction {
  double seconds_per_byte = 0;  ///< of one thread, wall clock
  double wire_per_byte = 1;
  /// 1: nothing like it was seen lately; towards 0 with what was. Any level tells something of the
  /// ratio of all, but little of the speed of those far away.
  double doubt = 1;
  double speed_doubt = 1;
};

/// Predicts speed and ratio of every level for every kind of data from the blocks that were seen.
///
/// A kind is what a look tells: steps of entropy, and what looks random. What is known beforehand
/// of a rung is its usual speed and its strength: which part it reaches of the logarithm of the
/// ratio that the densest one has. So one block at any level tells something of all levels; what
/// was measured at a level, and near it, counts more. What is old counts less.
class LevelModel {
 public:
  explicit LevelModel(const Ladder& ladder);

  [[nodiscard]] static std::size_t kind_of(const Look& look) noexcept;
  static constexpr std::size_t kKinds = 18;

  /// What became of a block.
  struct Measured {
    std::size_t kind = 0;
    int level = 0;
    double bytes = 0;  ///< raw
    double seconds_per_byte = 0;
    double wire_per_byte = 0;
  };
  void learn(const Measured& block);

  /// One prediction for each level.
  [[nodiscard]] const std::vector<Prediction>& of(std::size_t kind);

 private:
  struct Seen {
    double weight = 0;
    double bytes = 0;
    double log_speed = 0;  ///< of seconds per byte, less what was expected
    double log_ratio = 0;
  };
  struct Kind {
    std::vector<Seen> seen{};
    std::vector<Prediction> predictions{};
    double bytes = 0;       ///< of its blocks lately
    double mean_bytes = 0;  ///< of one
    bool stale = true;
  };
  struct Prior {
    double log_speed = 0;
    double strength = 0;
  };

  void predict(std::size_t kind);

  std::vector<Prior> priors_;
  std::vector<double> nearness_;  ///< by how many levels apart
  std::vector<double> speed_nearness_;
  std::array<Kind, kKinds> kinds_{};
  double machine_ = 0;  ///< log of how much slower this machine is than the usual one
};

}  // namespace adoc
