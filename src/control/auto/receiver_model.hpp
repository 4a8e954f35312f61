#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "control/path_metrics.hpp"
#include "control/policy.hpp"

namespace adoc {

/// How long a block keeps the receiver: to take it from the connection, decompress, check and write
/// it.
///
/// What that takes at one level beside another is known beforehand, about: the bytes of the wire,
/// the raw bytes, and their decompression each take their time. How long it takes there,
/// with its threads, its disk and whatever else it does, shows when the receiver is what limits:
/// when it does not read any more, or has more waiting than it deals with. As long as it never was,
/// it may be as fast as one likes. And it is not thought slower than it decompresses: what else it
/// waits for, a disk or a directory of many files, takes as long at any level.
class ReceiverModel {
 public:
  /// `decompress_seconds`: what a raw byte takes one usual thread to decompress, for each level
  /// (level_prior.hpp).
  /// `remembered`: what pace() was after an earlier transfer.
  ReceiverModel(std::vector<double> decompress_seconds, const PathMetrics::Receiver& remembered);

  /// A block was made. Blocks arrive about in the order in which they are learned of.
  void learn(int level, double raw_bytes, double wire_bytes);
  void see(const LinkState& link);

  /// The receiver's time for a raw byte, all its threads together; 0 if it never was what limits.
  [[nodiscard]] double seconds_per_byte(int level, double wire_per_byte) const;
  /// What a raw byte takes one of its threads to decompress, whether that is what limits or not.
  [[nodiscard]] double decompressing_seconds_per_byte(int level, double wire_per_byte) const;
  /// That decompress; one where it does not say.
  [[nodiscard]] double threads() const noexcept { return threads_; }
  [[nodiscard]] const PathMetrics::Receiver& pace() const noexcept { return pace_; }

 private:
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

  std::vector<double> decompress_seconds_;
  std::deque<Block> unwritten_;  ///< made, and not yet written
  ReceiverReport last_{};
  /// Seconds that its threads decompressed of late, and that a usual thread would have.
  double decompressing_ = 0;
  double usual_decompressing_ = 0;
  double threads_ = 1;
  double wire_bytes_ = 0;
  bool limited_ = false;  ///< in the last interval
  PathMetrics::Receiver pace_;
};

}  // namespace adoc
