#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "codec/ladder.hpp"
#include "control/policy.hpp"

namespace adoc {

/// How long a block keeps the receiver: to take it from the connection, decompress, check and write
/// it.
///
/// What that takes at one level beside another is known beforehand, about. How long it takes there,
/// with its threads, its disk and whatever else it does, shows when the receiver is what limits:
/// when it does not read any more, or does nothing but work and has enough to go on with. As long
/// as it never was, it may be as fast as one likes.
class ReceiverModel {
 public:
  /// `remembered`: pace() of an earlier transfer; 0 for none.
  ReceiverModel(const Ladder& ladder, double remembered);

  /// A block was made. Blocks arrive about in the order in which they are learned of.
  void learn(int level, double raw_bytes, double wire_bytes);
  void see(const LinkState& link);

  /// The receiver's time for a raw byte, all its threads together; 0 if it never was what limits.
  [[nodiscard]] double seconds_per_byte(int level, double wire_per_byte) const {
    return pace_ * usual_seconds(level, wire_per_byte);
  }
  /// How many times as long as one usual thread it takes; 0 if it never was what limits.
  [[nodiscard]] double pace() const noexcept { return pace_; }

 private:
  /// What each raw byte takes, and each that came over the link.
  struct Usual {
    double raw = 0;
    double wire = 0;
  };
  struct Block {
    double wire_end = 0;  ///< of all bytes
    double raw_bytes = 0;
    double usual_seconds = 0;
  };

  [[nodiscard]] double usual_seconds(int level, double wire_per_byte) const;
  void hear(const ReceiverReport& report);

  std::vector<Usual> usual_;     ///< for each level
  std::deque<Block> under_way_;  ///< not yet arrived
  std::deque<Block> arrived_;    ///< and not yet written
  ReceiverReport last_{};
  double wire_bytes_ = 0;
  double waiting_bytes_ = 0;  ///< raw, of those that have arrived
  double pace_;
};

}  // namespace adoc
