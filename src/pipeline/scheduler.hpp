#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "control/policy.hpp"
#include "control/raw_patience.hpp"

namespace adoc {

/// What each of the workers that compress does next, and all that the policy is asked and told: a
/// state machine of what it is told itself, without a clock, a thread or I/O. The threads of a
/// transfer drive it (compress_stage.hpp), and so do the simulated ones of the tests.
///
/// A worker asks next() and does what it says, one thing at a time. What has a ticket is ended by
/// done() or cancel() with that ticket:
///
///     Read        read, begin() with what was read, compress; done(). cancel(): nothing is left.
///                 gives_up(): what was read is chosen for anew
///     Yield, Wait wait, then ask again
///     Ended       nothing is left to be read: the worker is not to ask again
///
/// One call at a time. `link` is what is known of it at the call; its seconds are the time.
class Scheduler {
 public:
  using Ticket = std::uint64_t;
  using Worker = std::size_t;  ///< 0 to Setup::workers - 1

  struct Setup {
    const Ladder& ladder;
    Policy& policy;
    std::size_t workers = 1;
    std::size_t block_bytes = 0;  ///< that was asked for; 0: by level
    /// Of compressors and blocks; where it is too little for all, levels are lighter.
    std::size_t memory_bytes = 0;
  };

  /// What is seen when a worker asks.
  struct State {
    LinkState link{};
    bool room = true;         ///< in the queue
    bool left_alone = false;  ///< work that this worker has given up may not be through yet
  };

  /// A block of the input, or of the rest that a cut has left of this worker's.
  struct Read {
    Ticket ticket = 0;
    std::size_t bytes = 0;  ///< at most
    bool rest = false;
    FilterPrices filter_prices{};
  };
  /// The thread that sends goes first: until no more is left for it to take, or for the system to
  /// send, than this, for so long at most. Others wait for this worker.
  struct Yield {
    double seconds = 0;
    std::size_t fifo_packets = SIZE_MAX;
    std::size_t ready_bytes = SIZE_MAX;  ///< LinkState's ready_bytes and overdue_bytes
  };
  enum class Wait {
    for_room,    ///< in the queue; others wait for this worker
    for_reader,  ///< while can_read() is false
  };
  /// The worker's memory is free for others.
  struct Ended {
    bool last = false;  ///< nobody makes anything any more
  };
  using Job = std::variant<Read, Yield, Wait, Ended>;

  /// What was read.
  struct Block {
    std::size_t raw_bytes = 0;
    SampleStats stats{};
    std::size_t most_bytes = SIZE_MAX;  ///< that one block of it may have
  };
  /// What is to be made of it.
  struct Order {
    std::uint64_t number = 0;  ///< blocks are counted from 0
    Choice choice{};
    std::size_t raw_bytes = 0;        ///< of what was read: the rest is another block
    bool forget_compressors = false;  ///< those that a dense level has left are in the way
  };
  /// What was made.
  struct Made {
    std::size_t raw_bytes = 0;  ///< fewer than were ordered: it was cut
    std::size_t wire_bytes = 0;
    std::optional<std::size_t> matched_bytes{};  ///< BlockResult's
    double compress_seconds = 0;
    double processor_seconds = 0;
    bool waited = false;   ///< for room in the queue
    bool ran_dry = false;  ///< the queue got empty while the block was held back
  };

  explicit Scheduler(const Setup& setup);

  [[nodiscard]] Job next(Worker worker, const State& state);
  [[nodiscard]] Order begin(Ticket ticket, LinkState link, const Block& block);
  /// Gives what the policy was told.
  BlockResult done(Ticket ticket, const LinkState& link, const Made& made);
  void cancel(Ticket ticket);
  /// Asked while the link waits for a block none of which has left: whether that is given up. If
  /// so, its ticket has ended, and the worker asks next().
  [[nodiscard]] bool gives_up(Ticket ticket, const LinkState& link);
  /// The link now and then while long blocks are made, and while what was made is sent.
  void progress(const LinkState& link) { setup_.policy.observe(link); }
  /// Takes so much of the memory for all workers, if it is there.
  [[nodiscard]] bool take_memory(std::size_t bytes) noexcept;

  /// Whether a worker that waits for the reader is to ask again.
  [[nodiscard]] bool can_read() const noexcept { return !reader_ || ended_; }
  /// Blocks at each level, level 0 first.
  [[nodiscard]] const std::vector<std::uint64_t>& blocks_at_level() const noexcept {
    return blocks_at_level_;
  }

 private:
  /// What a worker has begun and not ended.
  struct Begun {
    Ticket ticket = 0;
    bool rest = false;  ///< of what it had read
    Choice choice{};
    Block block{};
    std::size_t fifo_before = 0;
    bool waited = false;
  };
  struct Yielding {
    double since = 0;
    double seconds = 0;   ///< at most
    bool spends = false;  ///< the law's patience
  };
  struct WorkerState {
    std::optional<Begun> begun{};
    std::optional<Yielding> yielding{};
    std::size_t rest_bytes = 0;  ///< of what it has read, still to be made
    bool waited = false;         ///< for room, before it reads
    std::size_t compressor_bytes = 0;
    std::size_t memory_bytes = 0;
    std::size_t left_alone_bytes = 0;  ///< of work that it has given up
  };

  [[nodiscard]] Job next_block(WorkerState& worker, LinkState link);
  [[nodiscard]] Ended end(WorkerState& worker);
  [[nodiscard]] bool has_left_alone() const noexcept;
  [[nodiscard]] std::optional<Yield> yield(WorkerState& worker, const Plan& plan,
                                           const LinkState& link);
  /// Whether what a dense level has left is to be forgotten first.
  bool within_bounds(WorkerState& worker, bool takes_dense, Choice& choice);
  [[nodiscard]] BlockResult result_of(const Begun& begun, const LinkState& link,
                                      const Made& made) const;
  [[nodiscard]] WorkerState& worker_of(Ticket ticket);

  Setup setup_;
  std::vector<WorkerState> workers_;
  std::optional<Worker> reader_{};  ///< one at a time reads, so that blocks leave in order
  bool ended_ = false;              ///< the input
  std::size_t makers_;              ///< workers that may make a block
  Ticket tickets_ = 0;
  std::uint64_t blocks_ = 0;
  std::size_t memory_bytes_ = 0;  ///< that all workers use, with what was left alone
  RawPatience patience_;
  std::vector<std::uint64_t> blocks_at_level_;
};

}  // namespace adoc
