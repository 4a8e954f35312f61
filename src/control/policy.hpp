#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "adoc/options.hpp"
#include "codec/filter_trial.hpp"
#include "codec/ladder.hpp"
#include "codec/sample_stats.hpp"
#include "control/path_metrics.hpp"

namespace adoc {

/// How the other side is doing, as it said last; all zero before it has said anything.
struct ReceiverReport {
  std::size_t threads = 0;  ///< that decompress, known from its hello on; 0: it does not say
  /// Share of the last interval in which nothing was read from the connection, because what had
  /// arrived was not yet decompressed and written, or there was always something to read: 0 is a
  /// receiver that waits for the link, 1 one that the link waits for.
  double stalled_share = 0;
  // In all of what it has told of:
  double seconds = 0;
  double stalled_seconds = 0;
  double decompressing_seconds = 0;  ///< summed over the threads
  double writing_seconds = 0;
  double written_bytes = 0;  ///< raw
};

/// What is known at a moment of where the bytes go. What was sent and what has arrived is never
/// less than it was in the state before.
struct LinkState {
  double seconds = 0;               ///< since the transfer began
  double age_seconds = 0;           ///< of what is known of bytes that were sent
  std::uint64_t sent_bytes = 0;     ///< that have left this machine
  std::uint64_t arrived_bytes = 0;  ///< of these, at the other one
  std::uint64_t unsent_bytes = 0;   ///< that this machine's system was given and has yet to send
  std::uint64_t ready_bytes = 0;    ///< the same, and what the FIFO can give it
  std::uint64_t queued_bytes = 0;   ///< the same, and what waits in the FIFO behind an open block
  std::size_t fifo_packets = 0;     ///< of these in the FIFO: the paper's signal
  std::uint64_t overdue_bytes = 0;  ///< sent for longer than a round trip: in a queue on the way
  bool held_back = false;           ///< what waits in the FIFO, by a limit that the user set
  bool in_slow_start = false;       ///< TCP limits what passes, by a window that grows
  /// Of a processor of this machine, that another program takes for a byte that it carries.
  double carrying_seconds_per_byte = 0;
  /// Raw, that are still to be read; nothing while nobody knows.
  std::optional<std::uint64_t> left_bytes{};
  /// What is chosen for is the rest of a block that was cut: it leaves before what is behind that.
  bool rest = false;
  bool takes_dense = false;  ///< the receiver: blocks of dense codecs
  ReceiverReport receiver{};
};

/// What is decided before a block is read.
struct Plan {
  std::size_t block_bytes = 0;  ///< to be read, if there is that much
  /// The paper's law at level 0: yields to the communication thread first (raw_patience.hpp).
  bool paper_yield = false;
  /// Yields to the communication thread first, until no more than this is ready for the link, in
  /// the FIFO and with the system, or overdue, or for at most so long.
  double yield_seconds = 0;
  std::size_t yield_bytes = 0;
  FilterPrices filter_prices{};
};

/// What is decided once it is read and its sample statistics are known.
struct Choice {
  int level = 0;
  std::string_view reason{};  ///< of static storage, without commas: a column of the trace
  /// If the link has nothing left to send while it is compressed, the block ends early, so that the
  /// policy can choose anew for the rest.
  bool may_cut = false;
  /// No block is begun behind this one before it is made.
  bool alone = false;
  /// It is searched for what came far before, also if its level does not do so by itself.
  bool search = false;
  std::uint64_t ticket = 0;  ///< the policy's own; it comes back with what became of it
};

/// What became of a block.
struct BlockResult {
  int level = 0;               ///< that it was compressed at
  SampleStats stats{};         ///< what choose() was told of it
  std::size_t raw_bytes = 0;   ///< fewer than were read when it was cut
  std::size_t wire_bytes = 0;  ///< frame headers included
  /// Of the raw bytes, those that are copied from far before; nothing if none were searched for.
  std::optional<std::size_t> matched_bytes{};
  double compress_seconds = 0;   ///< wall clock, without the time spent waiting for the FIFO
  double processor_seconds = 0;  ///< of these, with a processor; 0 for a short raw block
  std::size_t fifo_before = 0;   ///< packets in the FIFO before the block was read
  std::size_t fifo_after = 0;    ///< and after its last packet was put in
  bool cut = false;              ///< ended early, since the link had nothing left to send
  std::uint64_t ticket = 0;      ///< of the choice
};

/// Chooses the level of each next block from what was observed. No clock, no threads, no I/O: the
/// same observations give the same choices, in a transfer as in a simulation.
///
/// Called by one thread at a time, the scheduler's (pipeline/scheduler.hpp). For each block:
/// plan(), choose(), perhaps observe(), and, once it is compressed, learn(). With several
/// compression threads the blocks overlap: a few more are planned and chosen before the first is
/// learned of, in another order.
class Policy {
 public:
  virtual ~Policy() = default;

  [[nodiscard]] virtual Plan plan(const LinkState& link) = 0;
  /// `raw_bytes` is what was read, at most what was planned.
  [[nodiscard]] virtual Choice choose(const LinkState& link, const SampleStats& stats,
                                      std::size_t raw_bytes) = 0;
  /// `link` is the state after the block.
  virtual void learn(const LinkState& link, const BlockResult& result) = 0;
  /// The state now and then while long blocks are made.
  virtual void observe(const LinkState&) {}
  /// Whether to give up a block that is being compressed, none of which has left, and for which the
  /// link waits: by the ticket of its choice. Its bytes are chosen for anew then, as a rest, and
  /// nothing is learned of it. The work that was begun goes on without a use until it is through.
  [[nodiscard]] virtual bool gives_up(const LinkState&, std::uint64_t /*ticket*/) { return false; }
  /// What a second of the link is worth beside one of the processors, 1 in the sum, in the latest
  /// decision; nothing where no decision reckons with it.
  [[nodiscard]] virtual std::optional<double> link_price() const { return std::nullopt; }
  /// What the next transfer over this link may start from; nothing if nothing was learned of it.
  [[nodiscard]] virtual std::optional<PathMetrics> path_metrics() const { return std::nullopt; }
};

/// The policy that the options name, for a ladder and a number of compression threads. Throws
/// Error(usage) for levels that the ladder does not have. The ladder must outlive it.
/// `path_metrics`, if there are any, are of an earlier transfer over the same link.
[[nodiscard]] std::unique_ptr<Policy> make_policy(
    const PipelineOptions& options, const Ladder& ladder, std::size_t threads,
    const std::optional<PathMetrics>& path_metrics = std::nullopt);

}  // namespace adoc
