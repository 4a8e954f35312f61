#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "adoc/observer.hpp"
#include "control/policy.hpp"
#include "control/raw_patience.hpp"
#include "io/stream.hpp"
#include "pipeline/block_emitter.hpp"
#include "pipeline/bounded_queue.hpp"
#include "pipeline/kept_blocks.hpp"
#include "pipeline/receiver_board.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// The compression thread of Jeannot 2002, Fig. 1, and as many of them as are asked for: each reads
/// a block, compresses it at the level that the policy gave, and queues its packets as the
/// compressor makes them. One at a time reads from the source, so that the lanes of the FIFO keep
/// the order of the blocks; one at a time asks the policy.
class CompressStage {
 public:
  struct Setup {
    const Ladder& ladder;
    Policy& policy;
    std::size_t packet_bytes;
    std::size_t block_bytes;  ///< that was asked for; 0: by level
    std::size_t threads;
    std::size_t memory_bytes;  ///< of compressors and blocks; too little for all: lighter levels
    BlockSource& source;
    Fifo& fifo;
    BufferStock& stock;
    PipelineCounters& counters;
    const ReceiverBoard& receiver;
    const std::atomic<std::uint64_t>& peer_features;  ///< known once the source gives a block
    Observer* observer;                               ///< may be null
    /// Tells what has arrived; null: what the system has taken counts as that.
    const Stream* stream = nullptr;
    bool tries_levels = false;  ///< what is learned is kept for another transfer
  };

  explicit CompressStage(const Setup& setup);

  /// Called by each of the threads, until the source ends. True for the last of them: everything is
  /// in the FIFO then. The others stay until that is empty, and try what the policy wants to know.
  /// Throws what source and FIFO throw.
  [[nodiscard]] bool run();

  /// For the last of them: looks at the link, and at what waits for it, until the FIFO is empty,
  /// and tries levels meanwhile, too. Nobody uses the policy any more then. Throws what the FIFO
  /// throws.
  void watch_rest();

  /// The threads wait for each other; a failure wakes them.
  void fail(const std::exception_ptr& failure) noexcept {
    readings_.fail(failure);
    turns_.fail(failure);
  }

  /// Blocks at each level, level 0 first. Once watch_rest() has returned.
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
    std::shared_ptr<const Bytes> shared{};        ///< instead of buffer, if others may read it, too
    bool linked = false;                          ///< others may refer to it
    std::shared_ptr<const Bytes> prefix_owner{};  ///< what the prefix lies in
    ByteSpan prefix{};
    bool again = false;  ///< its bytes were in the FIFO before
  };

  /// What the one has that reads; it goes round in a queue. Whoever holds it may wait, for the
  /// source, for room in the FIFO and for the turn.
  struct Reading {
    bool ended = false;
    std::size_t running = 0;                ///< threads
    std::shared_ptr<const Bytes> linked{};  ///< the segment before, if the next may refer to it
  };

  /// The last long block that was begun.
  struct Sample {
    std::shared_ptr<const Bytes> bytes{};
    Look look{};
  };

  /// The policy, and what else one thread at a time may use. Whoever holds it waits for nobody: the
  /// thread whose lane leaves, which all others may be waiting for, needs it to go on after a cut.
  struct Turn {
    std::uint64_t blocks = 0;
    std::size_t memory_bytes = 0;  ///< that all workers use
    RawPatience patience;
    std::uint64_t sent_bytes = 0;     ///< as the stream said last: left this machine
    std::uint64_t arrived_bytes = 0;  ///< at the other one
    std::uint64_t unsent_bytes = 0;   ///< with our system
    double queue_seconds = 0;         ///< that what was sent lately waited on its way
    double carrying_seconds_per_byte = 0;
    std::int64_t asked_at_ns = 0;  ///< when it said so
    Sample sample{};
    bool tries = false;  ///< somebody tries a level on it
    bool over = false;   ///< the policy is neither asked nor told any more
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
    TakenBack instead_of{};
  };

  /// A block of a new segment; none when there is nothing left to read.
  [[nodiscard]] std::optional<Begun> begin_segment(Reading& reading, Worker& worker);
  /// A block of what waits in the FIFO, if that is now worth more work.
  [[nodiscard]] std::optional<Begun> begin_again(Worker& worker);
  /// A block of what a cut left of the segment.
  [[nodiscard]] Begun begin_rest(Worker& worker);
  /// While others make what is left, until the FIFO is empty.
  void try_meanwhile(Worker& worker);
  /// What the policy wants to know, on the bytes of the sample.
  void try_out(Worker& worker);
  [[nodiscard]] std::optional<Trial> begin_trial(Turn& turn, Worker& worker);
  [[nodiscard]] Plan plan();
  [[nodiscard]] Begun begun_now() const;
  void choose(Begun& begun, Worker& worker, std::size_t most_bytes);
  [[nodiscard]] bool read_segment(Worker& worker, std::size_t bytes);
  void share_segment(Reading& reading, Segment& segment, const Begun& begun);
  void keep_sample(Sample sample);
  void leave(const Worker& worker);
  [[nodiscard]] Choice within_bounds(Turn& turn, Worker& worker, Choice choice) const;
  void give_way(Turn& turn, std::size_t packet_bytes) const;
  void let_send(const Plan& plan) const;
  /// The block that was begun, and what cuts leave of its segment.
  void make_segment(Worker& worker, Begun begun);
  [[nodiscard]] BlockEmitter::Written compress(Worker& worker, const Begun& begun);
  void end_block(Worker& worker, const Begun& begun, const BlockEmitter::Written& written);
  void end_segment(Segment segment, const Begun& begun, const BlockEmitter::Written& written);
  void tell_observer(const Begun& begun, const BlockResult& result, double seconds,
                     CodecId codec) const;

  void ask_delivery(Turn& turn, std::int64_t now_ns) const;
  [[nodiscard]] LinkState link_state(Turn& turn);
  /// Tells whether the link has something to send, as the stream said last.
  bool observe();
  [[nodiscard]] bool peer_has(Feature feature) const noexcept;
  [[nodiscard]] Worker make_worker();
  [[nodiscard]] std::uint64_t& blocks_at(int level) {
    return blocks_at_level_[static_cast<std::size_t>(level)];
  }

  Setup setup_;
  const std::int64_t begin_ns_ = clock_ns();
  BoundedQueue<Reading> readings_{1};
  BoundedQueue<Turn> turns_{1};
  const std::size_t most_kept_bytes_;  ///< of each, of the sample and of blocks that wait
  // Both for whoever has the turn.
  KeptBlocks kept_;
  std::vector<std::uint64_t> blocks_at_level_;
  std::atomic<std::int64_t> seen_at_ns_ = begin_ns_;  ///< by the policy, the last time
  std::atomic<bool> link_sends_ = false;              ///< then
};

}  // namespace adoc
