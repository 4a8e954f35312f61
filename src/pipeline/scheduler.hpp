#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "control/policy.hpp"
#include "control/raw_patience.hpp"
#include "pipeline/waiting_blocks.hpp"

namespace adoc {

/// What each of the workers that compress does next, and all that the policy is asked and told: a
/// state machine of what it is told itself, without a clock, a thread or I/O. The threads of a
/// transfer drive it (compress_stage.hpp), and so do the simulated ones of the tests.
///
/// A worker asks next() and does what it says, one thing at a time. What has a ticket is ended by
/// done() or cancel() with that ticket:
///
///     Read        read, begin() with what was read, compress; done(). cancel(): nothing is left
///     Recompress  take the blocks back, begin_run(), compress; done(). cancel(): all have left
///     TryLevel    compress and send nothing of it; done(). cancel(): it was given up
///     Yield, Wait wait, then ask again
///
/// One call at a time. `link` is what is known of it at the call; its seconds are the time.
class Scheduler {
 public:
  using Ticket = WaitingBlocks::Ticket;
  using Worker = std::size_t;  ///< 0 to Setup::workers - 1

  struct Setup {
    const Ladder& ladder;
    Policy& policy;
    std::size_t workers = 1;
    std::size_t block_bytes = 0;  ///< that was asked for; 0: by level
    std::size_t memory_bytes =
        0;                      ///< of compressors and blocks; too little for all: lighter levels
    bool tries_levels = false;  ///< what is learned is kept for another transfer
  };

  /// What is seen when a worker asks.
  struct State {
    LinkState link{};
    bool room = true;  ///< in the queue
    /// Asked within next(): what leaves before a block that is kept; nothing once something of it
    /// has left.
    WaitingBlocks::BytesAhead bytes_ahead{};
  };

  /// A block of the input, or of the rest that a cut has left of this worker's.
  struct Read {
    Ticket ticket = 0;
    std::size_t bytes = 0;  ///< at most
    bool rest = false;
  };
  /// The blocks of the run follow each other, and become one in the place of the first.
  struct Recompress {
    Ticket ticket = 0;
    std::vector<Ticket> run{};
  };
  /// With the bytes of the block `sample`; what is not made in time is left out.
  struct TryLevel {
    Ticket ticket = 0;
    Trial trial{};
    bool forget_compressors = false;  ///< as in Order
  };
  /// The thread that sends goes first: until no more is left for it to take than this, for so long
  /// at most. Others wait for this worker.
  struct Yield {
    double seconds = 0;
    std::size_t fifo_packets = SIZE_MAX;
    std::size_t ready_bytes = SIZE_MAX;  ///< in the queue, behind no open block
  };
  enum class Wait {
    for_room,    ///< in the queue; others wait for this worker
    for_reader,  ///< while can_read() is false
    all_made,    ///< said once, to the last worker: nothing is left to be read or being made
    for_queue,   ///< to become empty: all is over then. Ask again now and then
  };
  using Job = std::variant<Read, Recompress, TryLevel, Yield, Wait>;

  /// What was read.
  struct Block {
    std::uint64_t batch = 0;
    std::uint64_t offset = 0;
    std::size_t raw_bytes = 0;
    Look look{};
  };
  /// What is to be made of it.
  struct Order {
    std::uint64_t number = 0;  ///< blocks are counted from 0
    Choice choice{};
    Look look{};
    std::size_t raw_bytes = 0;        ///< of what was read: the rest is another block
    bool forget_compressors = false;  ///< those that a dense level has left are in the way
  };
  /// What was made.
  struct Made {
    std::size_t raw_bytes = 0;  ///< fewer than were ordered: it was cut
    std::size_t wire_bytes = 0;
    double compress_seconds = 0;
    double processor_seconds = 0;
    bool waited = false;   ///< for room in the queue
    bool ran_dry = false;  ///< the queue got empty while the block was held back
    // What memory it takes to keep the block's bytes; 0: they cannot be.
    std::size_t kept_bytes = 0;    ///< as long as it waits in the queue
    std::size_t sample_bytes = 0;  ///< and longer
  };
  struct Done {
    BlockResult result{};  ///< as the policy was told it
    bool keep = false;     ///< the block's bytes, until let_go() names it
    bool sample = false;   ///< and these, for trials, in the place of those before
  };

  explicit Scheduler(const Setup& setup);

  [[nodiscard]] Job next(Worker worker, const State& state);
  [[nodiscard]] Order begin(Ticket ticket, const LinkState& link, const Block& block);
  /// The first `left` blocks of the run had left, and stay as they are.
  [[nodiscard]] Order begin_run(Ticket ticket, std::size_t left);
  [[nodiscard]] Done done(Ticket ticket, const LinkState& link, const Made& made);
  void cancel(Ticket ticket, const LinkState& link);
  /// The link now and then while long blocks are made.
  void progress(const LinkState& link);
  /// The policy is neither asked nor told any more. next() is not to be called.
  void end() noexcept { over_ = true; }
  /// The peer takes blocks of dense codecs: known once there is something to read.
  void allow_dense() noexcept { allows_dense_ = true; }
  /// The worker needs no memory any more.
  void leave(Worker worker);

  /// Whether a worker that waits for the reader is to ask again.
  [[nodiscard]] bool can_read() const noexcept { return !reader_ || ended_; }
  /// Blocks whose bytes need not be kept any more, each once: since it was asked last.
  [[nodiscard]] std::vector<Ticket> let_go() { return waiting_.let_go(); }
  /// Blocks at each level, level 0 first.
  [[nodiscard]] const std::vector<std::uint64_t>& blocks_at_level() const noexcept {
    return blocks_at_level_;
  }

 private:
  /// What a worker has begun and not ended.
  struct Begun {
    Ticket ticket = 0;
    Ticket place = 0;
    enum class Kind { read, rest, recompress, trial } kind = Kind::read;
    Choice choice{};
    Block block{};
    std::vector<WaitingBlocks::Block> run{};
    TakenBack instead_of{};
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
    Ticket place = 0;            ///< of what it has read
    std::size_t rest_bytes = 0;  ///< of that, still to be made
    bool waited = false;         ///< for room, before it reads
    bool makes_no_more = false;
    std::size_t compressor_bytes = 0;
    std::size_t memory_bytes = 0;
  };
  /// The last long block, for trials.
  struct Sample {
    Look look{};
    std::size_t raw_bytes = 0;
  };

  [[nodiscard]] Job next_block(WorkerState& worker, const LinkState& link);
  [[nodiscard]] Job after_reading(Worker worker, const State& state);
  [[nodiscard]] std::optional<Yield> yield(WorkerState& worker, const Plan& plan,
                                           const LinkState& link);
  [[nodiscard]] std::optional<Recompress> recompress(WorkerState& worker, const State& state);
  [[nodiscard]] std::optional<TryLevel> try_level(WorkerState& worker, const LinkState& link);
  Ticket start(WorkerState& worker, Begun begun);
  [[nodiscard]] Order order(WorkerState& worker);
  /// Whether what a dense level has left is to be forgotten first.
  bool within_bounds(WorkerState& worker, Choice& choice);
  [[nodiscard]] BlockResult result_of(const Begun& begun, const LinkState& link,
                                      const Made& made) const;
  [[nodiscard]] bool keep(const WorkerState& worker, const Begun& begun, const Made& made);
  [[nodiscard]] bool sample(const Begun& begun, const Made& made);
  [[nodiscard]] WorkerState& worker_of(Ticket ticket);
  [[nodiscard]] std::uint64_t& blocks_at(int level) {
    return blocks_at_level_[static_cast<std::size_t>(level)];
  }

  Setup setup_;
  const std::size_t most_kept_bytes_;  ///< of each, of the sample and of blocks that wait
  std::vector<WorkerState> workers_;
  std::optional<Worker> reader_{};  ///< one at a time reads, so that blocks leave in order
  bool ended_ = false;              ///< the input
  std::size_t makers_;              ///< workers that may make a block
  std::optional<Worker> last_{};    ///< of them
  bool over_ = false;
  bool allows_dense_ = false;
  bool tries_ = false;  ///< somebody tries a level
  Ticket tickets_ = 0;
  std::uint64_t blocks_ = 0;
  std::size_t memory_bytes_ = 0;  ///< that all workers use
  RawPatience patience_;
  std::optional<Sample> sample_{};
  WaitingBlocks waiting_;
  std::vector<std::uint64_t> blocks_at_level_;
};

}  // namespace adoc
