#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/ladder.hpp"

namespace adoc {

/// What a policy learned in one transfer of a link, a machine and what goes over it, for the next
/// one over that link to start from. The figures are LevelModel's.
struct Experience {
  /// The most blocks of a usual length that a level's figures are the average of.
  static constexpr double kMostWeight = 5;

  /// How many times as long as one usual thread it takes for all that it does, while it is what
  /// limits, and to decompress; 0: not known.
  struct Receiver {
    double overall = 0;
    double decompressing = 0;

    bool operator==(const Receiver&) const = default;
  };
  struct Level {
    int level = 0;
    double weight = 0;  ///< in blocks
    double log_speed = 0;
    double log_ratio = 0;
    double doublings = 0;

    bool operator==(const Level&) const = default;
  };
  struct Kind {
    std::size_t kind = 0;
    double mean_bytes = 0;
    double length_squares = 0;
    double length_products = 0;
    double spread = 0;
    std::vector<Level> levels{};

    bool operator==(const Kind&) const = default;
  };

  double link_rate = 0;  ///< bytes a second
  Receiver receiver{};
  double machine = 0;
  std::size_t last_kind = 0;
  std::vector<Kind> kinds{};

  bool operator==(const Experience&) const = default;

  /// Lines of words:
  ///
  ///     adoc experience 3 LADDER
  ///     link RATE
  ///     receiver OVERALL DECOMPRESSING    (only if it ever was what limits)
  ///     machine MACHINE
  ///     last KIND
  ///     kind KIND MEAN_BYTES LENGTH_SQUARES LENGTH_PRODUCTS SPREAD
  ///     level LEVEL WEIGHT LOG_SPEED LOG_RATIO DOUBLINGS      (of the kind before)
  [[nodiscard]] std::string encode(const Ladder& ladder) const;
  /// Nothing for what was not written so, by this version, for this ladder, or has a figure that no
  /// transfer gives.
  [[nodiscard]] static std::optional<Experience> decode(std::string_view text,
                                                        const Ladder& ladder);
};

}  // namespace adoc
