#include "pipeline/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "adoc/error.hpp"
#include "pipeline/threads.hpp"
#include "wire/protocol.hpp"

namespace adoc {

namespace {

/// A FIFO shorter than this stays below the law's threshold with the next packet.
constexpr std::size_t kShortFifoPackets = 8;

/// Compressors that have grown beyond this are let go when a worker turns to lighter work.
constexpr std::size_t kHeavyBytes = 16 << 20;

}  // namespace

Scheduler::Scheduler(const Setup& setup)
    : setup_(setup),
      workers_(setup.workers),
      makers_(setup.workers),
      blocks_at_level_(static_cast<std::size_t>(setup.ladder.last()) + 1) {}

Scheduler::Job Scheduler::next(Worker number, const State& state) {
  WorkerState& worker = workers_[number];
  if (!state.left_alone) memory_bytes_ -= std::exchange(worker.left_alone_bytes, 0);
  // The worker whose lane leaves goes on whatever others do: they may all wait for it.
  if (worker.rest_bytes != 0) return next_block(worker, state.link);
  if (ended_) return end(worker);
  if (!can_read() && reader_ != number) return Wait::for_reader;
  reader_ = number;
  if (!state.room) {
    worker.waited = true;
    return Wait::for_room;
  }
  return next_block(worker, state.link);
}

Scheduler::Ended Scheduler::end(WorkerState& worker) {
  memory_bytes_ -= std::exchange(worker.memory_bytes, 0);
  return {.last = --makers_ == 0};
}

Scheduler::Job Scheduler::next_block(WorkerState& worker, LinkState link) {
  link.rest = worker.rest_bytes != 0;
  link.takes_dense = link.takes_dense && !has_left_alone();
  const Plan plan = setup_.policy.plan(link);
  if (const auto first = yield(worker, plan, link)) return *first;
  worker.begun = Begun{.ticket = ++tickets_,
                       .rest = worker.rest_bytes != 0,
                       .fifo_before = link.fifo_packets,
                       .waited = std::exchange(worker.waited, false)};
  return Read{.ticket = tickets_,
              .bytes = plan.block_bytes,
              .rest = worker.begun->rest,
              .filter_prices = plan.filter_prices};
}

// Where threads outnumber cores, this one would otherwise fill the FIFO for its whole time slice
// before the communication thread got its turn, and the law would take the system's scheduler for a
// slow link. Once it has waited the plan is another one, and it goes on.
std::optional<Scheduler::Yield> Scheduler::yield(WorkerState& worker, const Plan& plan,
                                                 const LinkState& link) {
  if (const auto yielding = std::exchange(worker.yielding, std::nullopt)) {
    if (yielding->spends)
      patience_.spend(std::min(link.seconds - yielding->since, yielding->seconds));
    return std::nullopt;
  }
  if (plan.paper_yield) {
    const double allowed = patience_.earn(plan.block_bytes);
    if (link.fifo_packets < kShortFifoPackets) return std::nullopt;
    worker.yielding = Yielding{.since = link.seconds, .seconds = allowed, .spends = true};
    return Yield{.seconds = allowed, .fifo_packets = kShortFifoPackets - 1};
  }
  if (plan.yield_seconds <= 0 || link.ready_bytes + link.overdue_bytes <= plan.yield_bytes)
    return std::nullopt;
  worker.yielding = Yielding{.since = link.seconds, .seconds = plan.yield_seconds};
  return Yield{.seconds = plan.yield_seconds, .ready_bytes = plan.yield_bytes};
}

// What goes raw is sent sooner than another thread would be awake to read.
Scheduler::Order Scheduler::begin(Ticket ticket, LinkState link, const Block& block) {
  WorkerState& worker = worker_of(ticket);
  Begun& begun = *worker.begun;
  begun.block = block;
  begun.block.raw_bytes = std::min(block.raw_bytes, block.most_bytes);
  link.rest = begun.rest;
  link.takes_dense = link.takes_dense && !has_left_alone();
  begun.choice = setup_.policy.choose(link, block.stats, begun.block.raw_bytes);
  if (!begun.rest) worker.rest_bytes = block.raw_bytes;
  const int level = begun.choice.level;
  const bool forget = within_bounds(worker, link.takes_dense, begun.choice);
  const Rung& rung = setup_.ladder[begun.choice.level];
  // What was read for a denser level is more than one block of a lighter one.
  if (begun.choice.level != level && setup_.block_bytes == 0)
    begun.block.raw_bytes = std::min(begun.block.raw_bytes, block_shape(rung).block_bytes);
  if (is_dense(rung.codec))
    begun.block.raw_bytes = std::min(begun.block.raw_bytes, kMaxDenseBlockBytes);
  const auto number = static_cast<Worker>(&worker - workers_.data());
  if (reader_ == number && rung.codec != CodecId::raw && !begun.choice.alone) reader_.reset();
  return {.number = blocks_++,
          .choice = begun.choice,
          .raw_bytes = begun.block.raw_bytes,
          .forget_compressors = forget};
}

bool Scheduler::take_memory(std::size_t bytes) noexcept {
  if (memory_bytes_ + bytes > setup_.memory_bytes) return false;
  memory_bytes_ += bytes;
  return true;
}

// What the densest levels take is more than all workers may have at once: those that find too
// little left do with a lighter level. So does all that goes to a peer that takes no such blocks.
bool Scheduler::within_bounds(WorkerState& worker, bool takes_dense, Choice& choice) {
  const std::size_t others = memory_bytes_ - worker.memory_bytes;
  for (;; --choice.level) {
    const Rung& rung = setup_.ladder[choice.level];
    if (is_dense(rung.codec) && !takes_dense) {
      choice.reason = "peer";
      continue;
    }
    const bool raw = rung.codec == CodecId::raw;
    const std::size_t codec =
        raw ? worker.compressor_bytes : compressor_bytes(rung, setup_.block_bytes);
    const std::size_t needed =
        codec + std::max(worker.rest_bytes, block_memory(rung, setup_.block_bytes));
    if (others + needed > setup_.memory_bytes && choice.level > 0) {
      choice.reason = "memory";
      continue;
    }
    const bool forget = !raw && worker.compressor_bytes > kHeavyBytes && codec <= kHeavyBytes;
    worker.compressor_bytes = codec;
    worker.memory_bytes = needed;
    memory_bytes_ = others + needed;
    return forget;
  }
}

BlockResult Scheduler::done(Ticket ticket, const LinkState& link, const Made& made) {
  WorkerState& worker = worker_of(ticket);
  const Begun begun = *std::exchange(worker.begun, std::nullopt);
  const BlockResult result = result_of(begun, link, made);
  setup_.policy.learn(link, result);
  if (result.level == 1) patience_.compressed(made.compress_seconds, made.raw_bytes);
  ++blocks_at_level_[static_cast<std::size_t>(result.level)];
  worker.rest_bytes -= made.raw_bytes;
  return result;
}

// The law is for a FIFO that has no bound and gets its packets as they are made. What waits outside
// a full FIFO would have made that one grow; and when this one ran dry while a block was held back,
// that one would have been no longer at the end.
BlockResult Scheduler::result_of(const Begun& begun, const LinkState& link,
                                 const Made& made) const {
  BlockResult result{.level = begun.choice.level,
                     .stats = begun.block.stats,
                     .raw_bytes = made.raw_bytes,
                     .wire_bytes = made.wire_bytes,
                     .matched_bytes = made.matched_bytes,
                     .compress_seconds = made.compress_seconds,
                     .processor_seconds = made.processor_seconds,
                     .fifo_before = begun.fifo_before,
                     .fifo_after = link.fifo_packets,
                     .cut = made.raw_bytes < begun.block.raw_bytes,
                     .ticket = begun.choice.ticket};
  if (made.waited || begun.waited)
    result.fifo_after = std::max(result.fifo_after, begun.fifo_before + 1);
  if (made.ran_dry) result.fifo_after = 0;
  return result;
}

// What is left alone has its memory until it is through, and nothing as large is begun meanwhile.
bool Scheduler::gives_up(Ticket ticket, const LinkState& link) {
  WorkerState& worker = worker_of(ticket);
  if (!setup_.policy.gives_up(link, worker.begun->choice.ticket)) return false;
  worker.begun.reset();
  worker.left_alone_bytes += std::exchange(worker.memory_bytes, 0);
  worker.compressor_bytes = 0;
  return true;
}

bool Scheduler::has_left_alone() const noexcept {
  return std::ranges::any_of(workers_,
                             [](const WorkerState& one) { return one.left_alone_bytes != 0; });
}

void Scheduler::cancel(Ticket ticket) {
  worker_of(ticket).begun.reset();
  ended_ = true;
  reader_.reset();
}

Scheduler::WorkerState& Scheduler::worker_of(Ticket ticket) {
  const auto worker = std::ranges::find_if(workers_, [ticket](const WorkerState& one) {
    return one.begun && one.begun->ticket == ticket;
  });
  if (worker == workers_.end()) throw Error(ErrorKind::internal, "a ticket that nobody has");
  return *worker;
}

}  // namespace adoc
