#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "codec/ladder.hpp"
#include "control/experience.hpp"
#include "control/policy.hpp"

namespace adoc {

/// How long a block keeps the receiver: to take it from the connection, decompress, check and write
/// it.
///
/// What that takes at one level beside another is known beforehand, about. How long it takes there,
/// with its threads, its disk and whatever else it does, shows when the receiver is what limits:
/// when it does not read any more, or has more waiting than it deals with. As long as it never was,
/// it may be as fast as one likes. And it is not thought slower than it decompresses: what else it
/// waits for, a disk or a directory of many files, takes as long at any level.
class ReceiverModel {
 public:
  /// `remembered`: what pace() was after an earlier transfer.
  ReceiverModel(const Ladder& ladder, const Experience::Receiver& remembered);

  /// A block was made. Blocks arrive about in the order in which they are learned of.
  void learn(int level, double raw_bytes, double wire_bytes);
  /// Of those that were made, these will not arrive.
  void take_back(const TakenBack& blocks);
  void see(const LinkState& link);

  /// The receiver's time for a raw byte, all its threads together; 0 if it never was what limits.
  [[nodiscard]] double seconds_per_byte(int level, double wire_per_byte) const;
  [[nodiscard]] bool ever_limited() const noexcept { return pace_.overall > 0; }
  [[nodiscard]] const Experience::Receiver& pace() const noexcept { return pace_; }

 private:
  /// What each raw byte takes to decompress, and each that came over the link for it; and what one
  /// takes that only repeats others.
  struct Usual {
    double raw = 0;
    double wire = 0;
    double filling = 0;
  };
  /// For some bytes.
  struct Seconds {
    double decompressing = 0;
    double all = 0;
  };
  struct Block {
    double wire_end = 0;  ///< of all bytes
    double raw_bytes = 0;
    Seconds of_a_byte{};
  };

  [[nodiscard]] Seconds usual(int level, double wire_per_byte) const;
  [[nodiscard]] Seconds written(double raw_bytes);
  void hear(const ReceiverReport& report);

  std::vector<Usual> usual_;     ///< for each level
  std::deque<Block> under_way_;  ///< not yet arrived
  std::deque<Block> arrived_;    ///< and not yet written
  ReceiverReport last_{};
  double wire_bytes_ = 0;
  double waiting_bytes_ = 0;  ///< raw, of those that have arrived
  bool limited_ = false;      ///< in the last interval
  Experience::Receiver pace_;
};

}  // namespace adoc
