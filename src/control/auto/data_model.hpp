#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "control/auto/gaussian.hpp"
#include "control/auto/level_prior.hpp"
#include "control/auto/params.hpp"
#include "control/path_metrics.hpp"
#include "control/policy.hpp"

namespace adoc {

/// Three points stand for what is normally distributed: with these weights, and sqrt(3) deviations
/// apart, they have its first five moments.
using Points = std::array<double, 3>;
inline constexpr Points kPointWeights{1.0 / 6, 2.0 / 3, 1.0 / 6};

/// What a block is expected to come to.
struct Expected {
  Points work{};  ///< seconds of a processor
  double mean_work = 0;
  double low_work = 0;   ///< with optimism, for what is not known well
  double mean_wire = 0;  ///< bytes
  double low_wire = 0;
};

/// What levels do to the data of a transfer: a belief for each class of data that samples tell
/// apart, moved by every block.
class DataModel {
 public:
  /// `remembered`: classes() of an earlier transfer.
  DataModel(const Ladder& ladder, LevelPrior prior,
            const std::vector<PathMetrics::Class>& remembered = {});

  /// The class of a block with such sample statistics: one that was met, or a new one.
  [[nodiscard]] std::size_t class_of(const SampleStats& stats);
  [[nodiscard]] bool knows_any() const noexcept { return !classes_.empty(); }
  /// Whether a block of this class was made at this level, now or in an earlier transfer.
  [[nodiscard]] bool has_seen(std::size_t kind, int level) const {
    return level == 0 || classes_[kind].seen[static_cast<std::size_t>(level)];
  }
  /// What was learned; the class that is named comes first.
  [[nodiscard]] std::vector<PathMetrics::Class> classes(std::size_t first) const;

  void learn(const BlockResult& block);

  /// `search`: what came far before is copied.
  [[nodiscard]] Expected expected(std::size_t kind, int level, double raw_bytes, bool search) const;
  /// Changes when what is expected does.
  [[nodiscard]] std::size_t version() const noexcept { return version_; }

 private:
  struct Class {
    double entropy_bits = 0;  ///< of its first block
    bool random = false;
    Gaussian belief;
    std::vector<bool> seen{};  ///< levels that blocks were made at, now or earlier
  };

  [[nodiscard]] std::size_t speed_of(int level) const noexcept;
  [[nodiscard]] std::size_t strength_of(int level) const noexcept;
  [[nodiscard]] std::size_t length_loss() const noexcept { return 2 * levels_ + 1; }
  [[nodiscard]] Class new_class(const SampleStats& stats) const;
  /// How many times a block is half as long as its level wants.
  [[nodiscard]] double halvings(int level, double raw_bytes) const;
  /// Its mean, for what is expected of the level; `deviation` is its own.
  [[nodiscard]] double thought_strength(std::size_t kind, int level, double deviation) const;

  const Ladder& ladder_;
  LevelPrior prior_;
  std::size_t levels_;
  double matched_ = params::kLeastMatched;  ///< of the bytes that are searched, those copied
  std::vector<Class> classes_;
  std::size_t version_ = 0;
};

}  // namespace adoc
