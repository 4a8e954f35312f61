#pragma once

#include <vector>

namespace adoc {

/// What a policy learned in one transfer of a link, a machine and what goes over it, for the next
/// one over that link to start from: means and variances. Logarithms are natural.
struct PathMetrics {
  /// How many times as long as one usual thread it takes for all that it does, while it is what
  /// limits, and to decompress; 0: not known.
  struct Receiver {
    double overall = 0;
    double decompressing = 0;

    bool operator==(const Receiver&) const = default;
  };
  struct Estimate {
    double mean = 0;
    double variance = 0;

    bool operator==(const Estimate&) const = default;
  };
  /// What is thought of one level, and how well its blocks showed that: variances are apart from
  /// what is believed of any data.
  struct Level {
    int level = 0;
    Estimate log_seconds{};  ///< for a raw byte
    Estimate strength{};     ///< level_prior.hpp

    bool operator==(const Level&) const = default;
  };
  /// Of data with like sample statistics.
  struct Class {
    double entropy_bits = 0;
    bool random = false;
    Estimate length_loss{};
    std::vector<Level> levels{};

    bool operator==(const Class&) const = default;
  };

  double log_rate = 0;  ///< of the link, in bytes a second
  double log_rate_deviation = 0;
  double bytes = 0;       ///< raw, that it was learned of
  double contention = 1;  ///< how much longer blocks took than they had a processor
  Receiver receiver{};
  std::vector<Class> classes{};  ///< that of the last block first

  bool operator==(const PathMetrics&) const = default;
};

}  // namespace adoc
