#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "control/policy.hpp"

namespace adoc::sim {

/// What a level does to one kind of data, of one core that does nothing else.
struct LevelModel {
  double compress_rate = 0;    ///< raw bytes a second
  double ratio = 1;            ///< in blocks of the rung's shape
  double decompress_rate = 0;  ///< raw bytes a second
};

/// A kind of data. A policy knows of it sample statistics of each block, with their noise.
struct Kind {
  std::string name{};
  SampleStats stats{};
  double entropy_noise = 0;  ///< standard deviation of stats.entropy_bits
  /// Of the logarithm of the ratio, for each time that a block is half as long as its rung's shape.
  double length_loss = 0.03;
  /// How the data differ along a file (data_path.hpp): standard deviation of the logarithm of the
  /// ratio's logarithm, the same for all levels.
  double scatter = 0;
  std::vector<LevelModel> levels{};  ///< one a level of the ladder
};

/// A run of bytes of one kind; a file is a sequence of them.
struct Section {
  const Kind* kind = nullptr;
  double bytes = 0;
};

/// From `at_seconds` on the link takes this many bytes a second.
struct LinkStep {
  double at_seconds = 0;
  double bytes_per_second = 0;
  bool slow_start = false;  ///< it would take more, which a window does not let through
};

/// One transfer. The receiver has its own machine unless it shares the sender's.
struct Setup {
  const Ladder* ladder = nullptr;
  std::vector<Section> data{};
  std::vector<LinkStep> link{};
  std::size_t threads = 2;
  double cores = 2;
  std::size_t receiver_threads = 2;
  double receiver_cores = 2;
  bool shared_machine = false;
  bool dense = true;       ///< the receiver takes blocks of dense codecs
  bool size_known = true;  ///< how much there is to send, from the beginning
  int spinners = 0;        ///< other threads on the sender's machine, always busy
  double read_rate = 6e9;
  double socket_rate = 2.5e9;  ///< of one core, sending and receiving alike
  double store_rate = 1e12;    ///< of one core, to check and write what was decompressed
  double disk_rate = 2e9;
  std::size_t memory_bytes = SIZE_MAX;  ///< the sender's, of compressors and blocks
  double fifo_bytes = 8 << 20;
  double packet_bytes = 32 << 10;
  double kernel_seconds = 0.02;      ///< of the link's work that the system holds unsent
  double way_seconds = 0;            ///< and that, once sent, may wait in a queue on its way
  double round_trip_seconds = 0;     ///< so much later it is known what has arrived
  double receive_bytes = 16 << 20;   ///< arrived and not yet written
  double cut_after_seconds = 10e-3;  ///< a block whose packets the link waits for is cut then
  double speed_noise = 0.1;          ///< of a block, standard deviation of the logarithm
  double ratio_noise = 0.03;
  std::uint64_t seed = 1;
  std::uint64_t data_seed = 1;  ///< of how the data differ along the file
  /// What takes longer is of no interest, and is given up then.
  double limit_seconds = std::numeric_limits<double>::infinity();

  /// Both ends on the sender's machine, where a gigabyte that goes raw takes 0.9 s of processors.
  void share_machine() {
    shared_machine = true;
    socket_rate = 4.5e9;
    store_rate = 3.3e9;
  }
};

/// A block as it was, for traces and for assertions about when what was chosen.
struct Step {
  double seconds = 0;  ///< when it was compressed
  double chosen_seconds = 0;
  int level = 0;
  std::string_view kind;
  std::string_view reason;
  double raw_bytes = 0;
  double wire_bytes = 0;
  double queued_bytes = 0;
};

/// What the receiver has by a moment: of a block that arrives, as much as of its wire bytes.
struct Progress {
  double seconds = 0;
  double raw_bytes = 0;
};

struct Outcome {
  double seconds = 0;  ///< until the last byte is written
  double wire_bytes = 0;
  std::vector<Step> steps{};
  std::vector<Progress> progress{};  ///< every 5 ms
};

/// Runs the transfer under the policy: a fluid model whose events are the ends of blocks, queues
/// that fill or run dry, steps of the link, reports of the receiver. The same setup gives the same
/// outcome.
[[nodiscard]] Outcome run(const Setup& setup, Policy& policy);

/// What a level costs and gives for a block of this size: small blocks of a rung that has large
/// ones lose ratio.
[[nodiscard]] double wire_bytes(const Kind& kind, const Ladder& ladder, int level,
                                double raw_bytes);

/// With the best fixed level, found in hindsight.
[[nodiscard]] double best_fixed_seconds(Setup setup);

/// No policy is faster: the best mixture of levels for each kind, with nothing to learn, no block
/// too early or too late, and all threads busy to the end.
[[nodiscard]] double least_seconds(const Setup& setup);

}  // namespace adoc::sim
