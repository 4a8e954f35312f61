#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "codec/ladder.hpp"
#include "codec/look.hpp"
#include "control/experience.hpp"

namespace adoc {

/// What a level is expected to do to a block.
struct Prediction {
  double seconds_per_byte = 0;   ///< of one thread, wall clock
  double log_ratio = 0;          ///< of a short block: LevelModel::kShortBytes
  double log_ratio_slope = 0;    ///< what each doubling of that gains, up to the rung's own length
  double own_bytes = 1;          ///< the rung's own length
  double own_wire_per_byte = 1;  ///< of a block that long
  /// 1: nothing like it was seen lately; towards 0 with what was. Any level tells something of the
  /// ratio of all, but little of the speed of those far away.
  double doubt = 1;
  double speed_doubt = 1;
  double untried = 1;          ///< the same, of the level alone, whatever others tell of it
  double log_ratio_error = 0;  ///< standard error of what was seen of the level alone

  [[nodiscard]] double wire_per_byte(double block_bytes) const noexcept;
};

/// Predicts speed and ratio of every level for every kind of data from the blocks that were seen.
///
/// A kind is what a look tells: steps of entropy, and what looks random. What is known beforehand
/// of a rung is its usual speed and its strength: which part it reaches of the logarithm of the
/// ratio that the densest one has. So one block at any level tells something of all levels; what
/// was measured at a level, and near it, counts more. What is old counts less.
///
/// The logarithm of the ratio grows with that of the block's length, for data that repeat from far
/// away by much: how much is seen where blocks of one level have different lengths.
class LevelModel {
 public:
  explicit LevelModel(const Ladder& ladder);

  [[nodiscard]] static std::size_t kind_of(const Look& look) noexcept;
  static constexpr std::size_t kKinds = 18;
  static constexpr std::size_t kRandomKind = kKinds - 1;  ///< what looks random
  static constexpr double kShortBytes = 128 << 10;
  /// What shrinks to less than this part is long repetitions.
  static constexpr double kLongRepetitions = 0.1;

  /// What became of a block.
  struct Measured {
    std::size_t kind = 0;
    int level = 0;
    double bytes = 0;  ///< raw
    double seconds_per_byte = 0;
    double wire_per_byte = 0;
    /// The same bytes were learned of at another level: what differs is not the data.
    bool again = false;
  };
  void learn(const Measured& block);

  /// Adds what was seen.
  void tell(Experience& experience) const;
  /// Before anything else is learned: it counts as seen, but for less than what is seen now.
  void start_from(const Experience& experience);

  /// One prediction for each level.
  [[nodiscard]] const std::vector<Prediction>& of(std::size_t kind);

 private:
  static constexpr double kUsualSpread = 0.02;

  struct Seen {
    double weight = 0;
    double bytes = 0;
    double log_speed = 0;  ///< of seconds per byte, less what was expected
    double log_ratio = 0;
    double doublings = 0;  ///< of kShortBytes, that its blocks were long
  };
  struct Kind {
    std::vector<Seen> seen{};
    std::vector<Prediction> predictions{};
    double bytes = 0;       ///< of its blocks lately
    double mean_bytes = 0;  ///< of one
    /// Of a regression of log ratios on lengths, each less its level's mean: the sums of squares
    /// and of products.
    double length_squares = 0;
    double length_products = 0;
    double spread = kUsualSpread;  ///< mean square of what was off with log ratios that were seen
    bool stale = true;
    unsigned raw_since = 0;  ///< blocks since the levels were predicted
  };
  struct Prior {
    double log_seconds = 0;  ///< per byte
    double strength = 0;
    double lengthens = 0;  ///< the part that it has of what longer blocks gain at most
    double own_bytes = 0;
    bool codes_entropy = false;
    bool passes_over = false;     ///< long repetitions
    bool vanishes_alike = false;  ///< as at other levels that are
    bool tried_soon = false;      ///< where there may be such
  };

  static void follow_spread(Kind& known, double off);
  [[nodiscard]] static double weight_of(const Kind& known, const Seen& seen);
  [[nodiscard]] double usual_log_seconds(std::size_t level, double wire_per_byte) const;
  void predict(std::size_t kind);
  void predict_raw(Kind& known) const;
  void vanish_alike(Kind& known) const;
  [[nodiscard]] double slope(std::size_t kind) const;
  [[nodiscard]] double mean_doublings(const Kind& known) const;

  std::vector<Prior> priors_;
  std::vector<double> nearness_;  ///< by how many levels apart
  std::vector<double> speed_nearness_;
  std::array<Kind, kKinds> kinds_{};
  double machine_ = 0;  ///< log of how much slower this machine is than the usual one
};

}  // namespace adoc
