#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "adoc/observer.hpp"
#include "io/stream.hpp"
#include "pipeline/block_emitter.hpp"
#include "pipeline/block_filter.hpp"
#include "pipeline/link_meter.hpp"
#include "pipeline/match_finder.hpp"
#include "pipeline/scheduler.hpp"
#include "util/guarded.hpp"
#include "wire/entry.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// The compression thread of Jeannot 2002, Fig. 1, and as many of them as are asked for: each does
/// what the scheduler says, reads a block, compresses it at the level that the policy gave, and
/// queues its packets as the compressor makes them.
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
    bool filters = false;        ///< blocks may be filtered
    std::size_t item_bytes = 0;  ///< of their numbers, 2, 4 or 8; 0: found out
    /// The sums of earlier connections, and when this one began; what `counters` has of time is not
    /// of this connection alone, and not in it.
    Observation before{};
  };

  explicit CompressStage(const Setup& setup);

  /// Called by each of the threads, until the source ends. True for the last of them: everything is
  /// in the FIFO then. Throws what source and FIFO throw.
  [[nodiscard]] bool run();

  /// So much will be read in all, since the beginning: known at some time, or never. Any thread.
  void expect(std::uint64_t bytes) noexcept { all_bytes_.store(bytes, std::memory_order_relaxed); }

  /// For the last of them: looks at the link until the FIFO is empty. Nobody uses the policy any
  /// more then. Throws what the FIFO throws.
  void watch_rest();

  /// The threads wait for each other; a failure wakes them.
  void fail(const std::exception_ptr& failure) noexcept;

  /// What is seen now. Any thread.
  [[nodiscard]] Observation observation();

  /// Blocks at each level, level 0 first. Once watch_rest() has returned.
  [[nodiscard]] std::vector<std::uint64_t> blocks_at_level() const {
    return shared_.lock()->scheduler.blocks_at_level();
  }

 private:
  /// The run of bytes that a thread has read, and what of it is still to be sent: all of it is one
  /// block, unless that is cut.
  struct Segment {
    RawBlock rest;
    Fifo::Lane lane = 0;
    Buffer buffer;
    bool linked = false;                           ///< others may refer to it
    std::shared_ptr<const Buffer> shared{};        ///< instead of buffer, if it is linked
    std::shared_ptr<const Buffer> prefix_owner{};  ///< what the prefix lies in
    ByteSpan prefix{};
    /// If later blocks may copy from it, and it from those before.
    std::optional<MatchFinder::Place> place{};
    MatchFinder* finder = nullptr;
    bool searched = false;
  };

  /// What is compressed in the place of a block's bytes.
  struct Prepared {
    std::vector<Match> matches{};
    bool searched = false;  ///< for matches
    Buffer bytes{};         ///< if there are matches, the literals; or what the filter has made
    ByteFilter filter{};
    PredictedNumbers predicted{};  ///< if `bytes` are what predictions leave of them
    std::size_t literals = 0;
    double seconds = 0;
    double processor_seconds = 0;
  };

  /// What the threads share; whoever has it waits for nobody.
  struct Shared {
    Scheduler scheduler;
    std::shared_ptr<const Buffer> linked{};  ///< the segment before, if the next may refer to it
    std::unique_ptr<MatchFinder> finder{};   ///< once a block is worth it
    std::size_t joined = 0;                  ///< workers
    std::exception_ptr failure{};
  };

  /// A thread's own.
  struct Worker {
    Scheduler::Worker number = 0;
    BlockEmitter emitter;
    BlockFilter filter;  ///< of the segment, which if it filters is neither linked nor placed
    std::optional<Segment> segment{};
  };

  /// A block while it is made.
  struct Begun {
    Scheduler::Ticket ticket = 0;
    SampleStats stats{};
    Scheduler::Order order{};
    std::size_t bytes = 0;  ///< of the segment's rest that it takes
    std::uint64_t sent_before = 0;
    Clock::time_point at{};
  };

  /// What became of a block, and what was seen then.
  struct Ended {
    BlockResult result{};
    CodecId codec = CodecId::raw;
    ByteFilter filter{};
    bool predicted = false;
    Observation seen{};
  };

  [[nodiscard]] Worker make_worker();
  /// Waits for the reader if it has to.
  [[nodiscard]] Scheduler::Job next(Worker& worker);
  void work(Worker& worker, const Scheduler::Job& job);
  void read(Worker& worker, const Scheduler::Read& job);
  void yield(const Scheduler::Yield& job);
  void let_go(std::size_t most_bytes, Clock::time_point end);

  [[nodiscard]] bool read_segment(Worker& worker, std::size_t bytes);
  [[nodiscard]] std::optional<RawBlock> read_block(Buffer& buffer);
  void link_segment(Shared& shared, Worker& worker, int level) const;
  /// Whether its bytes are searched, and later ones may copy from them.
  void place_segment(Shared& shared, Worker& worker, const Choice& choice) const;
  [[nodiscard]] Prepared prepare(Worker& worker, const RawBlock& block, int level);
  void search(Segment& segment, std::size_t bytes, Prepared& prepared);
  [[nodiscard]] BlockEmitter::Written compress(Worker& worker, const Begun& begun);
  void end_block(Worker& worker, const Begun& begun, const BlockEmitter::Written& written);
  void tell_observer(const Begun& begun, const Ended& ended) const;
  [[nodiscard]] Observation seen(const LinkState& link) const;
  /// Tells whether the link has something to send, as the stream said last.
  bool observe();
  [[nodiscard]] LinkState link_state();
  [[nodiscard]] bool peer_has(Feature feature) const noexcept;

  Setup setup_;
  LinkMeter link_;
  std::atomic<std::uint64_t> all_bytes_{kUnknownSize};
  std::atomic<std::uint64_t> read_bytes_{0};
  std::atomic<double> link_price_{0};  ///< the policy's; it is asked under the lock
  Guarded<FilterChoice> filters_;
  Guarded<Shared> shared_;
};

}  // namespace adoc
