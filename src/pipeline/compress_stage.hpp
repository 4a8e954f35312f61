#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "adoc/observer.hpp"
#include "control/policy.hpp"
#include "control/raw_patience.hpp"
#include "pipeline/block_emitter.hpp"
#include "pipeline/bounded_queue.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// The compression thread of Jeannot 2002, Fig. 1, and as many of them as are asked for: each reads
/// a block, compresses it at the level that the policy gave, and queues its packets as the
/// compressor makes them. What they share, the source and the policy, is used by the one whose turn
/// it is; so blocks are read in order, and their lanes of the FIFO keep that order.
class CompressStage {
 public:
  struct Setup {
    const Ladder& ladder;
    Policy& policy;
    std::size_t packet_bytes;
    std::size_t threads;
    std::size_t
        memory_bytes;  ///< of compressors and blocks; the densest levels wait for their share
    BlockSource& source;
    Fifo& fifo;
    BufferStock& stock;
    PipelineCounters& counters;
    const ReceiverBoard& receiver;
    const std::atomic<std::uint64_t>& peer_features;  ///< known once the source gives a block
    Observer* observer;                               ///< may be null
  };

  explicit CompressStage(const Setup& setup);

  /// Called by each of the threads, until the source ends. True for the last of them: everything is
  /// in the FIFO then. Throws what source and FIFO throw.
  [[nodiscard]] bool run();

  /// The turn is what the threads wait for; a failure wakes them.
  void fail(const std::exception_ptr& failure) noexcept { turns_.fail(failure); }

  /// Blocks at each level, level 0 first. Once run() has returned true.
  [[nodiscard]] const std::vector<std::uint64_t>& blocks_at_level() const noexcept {
    return blocks_at_level_;
  }

 private:
  /// The run of bytes that a thread has read, and what of it is still to be sent: all of it is one
  /// block, unless that is cut.
  struct Segment {
    RawBlock rest;
    Fifo::Lane lane = 0;
    Bytes buffer;
    std::shared_ptr<const Bytes> linked{};  ///< instead of buffer, since others may refer to it
    std::shared_ptr<const Bytes> prefix_owner{};  ///< what the prefix lies in
    ByteSpan prefix{};
  };

  /// What one thread at a time may use; it goes round in a queue.
  struct Turn {
    bool ended = false;
    std::size_t running = 0;
    std::uint64_t blocks = 0;
    std::size_t memory_bytes = 0;         ///< that all workers use
    std::shared_ptr<const Bytes> linked;  ///< the segment before, if the next may refer to it
    RawPatience patience;
  };

  /// A thread's own.
  struct Worker {
    BlockEmitter emitter;
    std::optional<Segment> segment;
    std::size_t compressor_bytes = 0;
    std::size_t memory_bytes = 0;  ///< its part of the turn's
  };

  /// A block from its choice to its result.
  struct Begun {
    std::uint64_t number = 0;
    Choice choice{};
    Look look{};
    std::size_t bytes = 0;  ///< of the segment's rest that it takes
    std::size_t fifo_before = 0;
    bool waited = false;  ///< for room in the FIFO
    std::uint64_t sent_before = 0;
    Clock::time_point at{};
  };

  /// None when there is nothing left to do.
  [[nodiscard]] std::optional<Begun> begin_block(Turn& turn, Worker& worker);
  [[nodiscard]] bool read_segment(Worker& worker, std::size_t bytes);
  void link_segment(Turn& turn, Segment& segment, const Rung& rung) const;
  [[nodiscard]] Choice within_memory(Turn& turn, Worker& worker, Choice choice) const;
  void give_way(Turn& turn, std::size_t packet_bytes) const;
  [[nodiscard]] BlockEmitter::Written compress(Worker& worker, const Begun& begun);
  void end_block(Turn& turn, const Begun& begun, const BlockEmitter::Written& written);

  [[nodiscard]] LinkState link_state() const;
  [[nodiscard]] bool peer_has(Feature feature) const noexcept;

  Setup setup_;
  const std::int64_t begin_ns_ = clock_ns();
  BoundedQueue<Turn> turns_{1};
  std::vector<std::uint64_t> blocks_at_level_;
};

}  // namespace adoc
