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

/// What is kept of blocks that wait, and no more than this part of the memory.
constexpr std::size_t kMostKeptBytes = 8 << 20;
constexpr std::size_t kKeptPart = 16;

/// Of a shorter block a dense level shows nothing of what it is chosen for.
constexpr std::size_t kLeastSampleBytes = 1 << 20;

}  // namespace

Scheduler::Scheduler(const Setup& setup)
    : setup_(setup),
      most_kept_bytes_(std::min(kMostKeptBytes, setup.memory_bytes / kKeptPart)),
      workers_(setup.workers),
      makers_(setup.workers),
      waiting_(most_kept_bytes_),
      blocks_at_level_(static_cast<std::size_t>(setup.ladder.last()) + 1) {}

Scheduler::Job Scheduler::next(Worker number, const State& state) {
  WorkerState& worker = workers_[number];
  // The worker whose lane leaves goes on whatever others do: they may all wait for it.
  if (worker.rest_bytes != 0) return next_block(worker, state.link);
  if (ended_) return after_reading(number, state);
  if (!can_read() && reader_ != number) return Wait::for_reader;
  reader_ = number;
  const bool has_waited = worker.waited || worker.yielding;
  if (!has_waited)
    if (auto again = recompress(worker, state)) return *std::move(again);
  if (!state.room) {
    worker.waited = true;
    return Wait::for_room;
  }
  return next_block(worker, state.link);
}

// What waits may be most of a short transfer. Workers that find nothing left to be made, while the
// link has much to send, are of use to what comes next.
Scheduler::Job Scheduler::after_reading(Worker number, const State& state) {
  WorkerState& worker = workers_[number];
  if (!std::exchange(worker.makes_no_more, true)) {
    if (--makers_ != 0) return Wait::for_queue;
    last_ = number;
    return Wait::all_made;
  }
  if (last_ == number)
    if (auto again = recompress(worker, state)) return *std::move(again);
  if (const auto trial = try_level(worker, state.link)) return *trial;
  return Wait::for_queue;
}

Scheduler::Job Scheduler::next_block(WorkerState& worker, const LinkState& link) {
  const Plan plan = setup_.policy.plan(link);
  if (const auto first = yield(worker, plan, link)) return *first;
  const bool rest = worker.rest_bytes != 0;
  const Ticket ticket = start(worker, {.kind = rest ? Begun::Kind::rest : Begun::Kind::read,
                                       .fifo_before = link.fifo_packets,
                                       .waited = std::exchange(worker.waited, false)});
  return Read{.ticket = ticket, .bytes = plan.block_bytes, .rest = rest};
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
  if (plan.gives_way) {
    const double allowed = patience_.earn(plan.block_bytes);
    if (link.fifo_packets < kShortFifoPackets) return std::nullopt;
    worker.yielding = Yielding{.since = link.seconds, .seconds = allowed, .spends = true};
    return Yield{.seconds = allowed, .fifo_packets = kShortFifoPackets - 1};
  }
  if (plan.lets_send_seconds <= 0 || link.ready_bytes - link.unsent_bytes <= plan.lets_send_bytes)
    return std::nullopt;
  worker.yielding = Yielding{.since = link.seconds, .seconds = plan.lets_send_seconds};
  return Yield{.seconds = plan.lets_send_seconds, .ready_bytes = plan.lets_send_bytes};
}

std::optional<Scheduler::Recompress> Scheduler::recompress(WorkerState& worker,
                                                           const State& state) {
  const auto waiting = waiting_.waiting(state.bytes_ahead);
  if (waiting.empty()) return std::nullopt;
  const auto remake = setup_.policy.remake(state.link, waiting);
  if (!remake) return std::nullopt;
  Begun begun{.kind = Begun::Kind::recompress,
              .choice = remake->choice,
              .block = {.look = remake->look},
              .run = waiting_.take(remake->first, remake->count),
              .fifo_before = state.link.fifo_packets};
  Recompress job;
  for (const WaitingBlocks::Block& block : begun.run) job.run.push_back(block.ticket);
  job.ticket = start(worker, std::move(begun));
  return job;
}

std::optional<Scheduler::TryLevel> Scheduler::try_level(WorkerState& worker,
                                                        const LinkState& link) {
  if (!sample_ || tries_ || over_) return std::nullopt;
  const auto trial = setup_.policy.trial(link, sample_->look, sample_->raw_bytes);
  if (!trial) return std::nullopt;
  Choice choice{.level = trial->level, .ticket = trial->ticket};
  const bool forget = within_bounds(worker, choice);
  if (choice.level != trial->level) return std::nullopt;
  tries_ = true;
  const Ticket ticket =
      start(worker, {.kind = Begun::Kind::trial,
                     .choice = choice,
                     .block = {.raw_bytes = sample_->raw_bytes, .look = sample_->look}});
  return TryLevel{.ticket = ticket, .trial = *trial, .forget_compressors = forget};
}

Scheduler::Ticket Scheduler::start(WorkerState& worker, Begun begun) {
  begun.ticket = ++tickets_;
  worker.begun = std::move(begun);
  return tickets_;
}

Scheduler::Order Scheduler::begin(Ticket ticket, const LinkState& link, const Block& block) {
  WorkerState& worker = worker_of(ticket);
  Begun& begun = *worker.begun;
  begun.place = ticket;
  begun.block = block;
  begun.choice = setup_.policy.choose(link, block.look, block.raw_bytes);
  if (begun.kind == Begun::Kind::read) worker.rest_bytes = block.raw_bytes;
  return order(worker);
}

Scheduler::Order Scheduler::begin_run(Ticket ticket, std::size_t left) {
  WorkerState& worker = worker_of(ticket);
  Begun& begun = *worker.begun;
  begun.run.erase(begun.run.begin(), begun.run.begin() + static_cast<std::ptrdiff_t>(left));
  for (const WaitingBlocks::Block& block : begun.run) {
    begun.instead_of.raw_bytes += block.raw_bytes;
    begun.instead_of.wire_bytes += block.wire_bytes;
    --blocks_at(block.level);
  }
  const WaitingBlocks::Block& first = begun.run.front();
  begun.place = first.place;
  begun.block = {.batch = first.batch,
                 .offset = first.offset,
                 .raw_bytes = begun.instead_of.raw_bytes,
                 .look = begun.block.look};
  worker.rest_bytes = begun.block.raw_bytes;
  return order(worker);
}

// What goes raw is sent sooner than another thread would be awake to read.
Scheduler::Order Scheduler::order(WorkerState& worker) {
  Begun& begun = *worker.begun;
  const int level = begun.choice.level;
  const bool forget = within_bounds(worker, begun.choice);
  const Rung& rung = setup_.ladder[begun.choice.level];
  // What was read for a denser level is more than one block of a lighter one.
  if (begun.choice.level != level && setup_.block_bytes == 0)
    begun.block.raw_bytes = std::min(begun.block.raw_bytes, block_shape(rung).block_bytes);
  if (is_dense(rung.codec))
    begun.block.raw_bytes = std::min(begun.block.raw_bytes, kMaxDenseBlockBytes);
  const auto number = static_cast<Worker>(&worker - workers_.data());
  const bool raw = rung.codec == CodecId::raw;
  if (reader_ == number && !raw) reader_.reset();
  return {.number = blocks_++,
          .choice = begun.choice,
          .look = begun.block.look,
          .raw_bytes = begun.block.raw_bytes,
          .forget_compressors = forget};
}

// What the densest levels take is more than all workers may have at once: those that find too
// little left do with a lighter level. So does all that goes to a peer that takes no such blocks.
bool Scheduler::within_bounds(WorkerState& worker, Choice& choice) {
  const std::size_t others = memory_bytes_ - worker.memory_bytes;
  for (;; --choice.level) {
    const Rung& rung = setup_.ladder[choice.level];
    if (is_dense(rung.codec) && !allows_dense_) {
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

Scheduler::Done Scheduler::done(Ticket ticket, const LinkState& link, const Made& made) {
  WorkerState& worker = worker_of(ticket);
  const Begun begun = *std::exchange(worker.begun, std::nullopt);
  Done done{.result = result_of(begun, link, made)};
  if (!over_) setup_.policy.learn(link, done.result);
  if (begun.kind == Begun::Kind::trial) {
    tries_ = false;
    return done;
  }
  if (done.result.level == 1) patience_.compressed(made.compress_seconds, made.raw_bytes);
  ++blocks_at(done.result.level);
  worker.rest_bytes -= made.raw_bytes;
  done.keep = keep(worker, begun, made);
  done.sample = sample(begun, made);
  return done;
}

// The law is for a FIFO that has no bound and gets its packets as they are made. What waits outside
// a full FIFO would have made that one grow; and when this one ran dry while a block was held back,
// that one would have been no longer at the end.
BlockResult Scheduler::result_of(const Begun& begun, const LinkState& link,
                                 const Made& made) const {
  BlockResult result{.level = begun.choice.level,
                     .look = begun.block.look,
                     .raw_bytes = made.raw_bytes,
                     .wire_bytes = made.wire_bytes,
                     .compress_seconds = made.compress_seconds,
                     .processor_seconds = made.processor_seconds,
                     .fifo_before = begun.fifo_before,
                     .fifo_after = link.fifo_packets,
                     .instead_of = begun.instead_of,
                     .trial = begun.kind == Begun::Kind::trial,
                     .ticket = begun.choice.ticket};
  if (result.trial) return result;
  result.cut = made.raw_bytes < begun.block.raw_bytes;
  if (made.waited || begun.waited)
    result.fifo_after = std::max(result.fifo_after, begun.fifo_before + 1);
  if (made.ran_dry) result.fifo_after = 0;
  return result;
}

// One of several blocks of what was read is never made anew.
bool Scheduler::keep(const WorkerState& worker, const Begun& begun, const Made& made) {
  if (!begun.choice.keeps || made.kept_bytes == 0) return false;
  if (begun.kind == Begun::Kind::rest || worker.rest_bytes != 0) return false;
  waiting_.keep({.ticket = begun.ticket,
                 .place = begun.place,
                 .batch = begun.block.batch,
                 .offset = begun.block.offset,
                 .raw_bytes = begun.block.raw_bytes,
                 .look = begun.block.look,
                 .level = begun.choice.level,
                 .wire_bytes = made.wire_bytes,
                 .kept_bytes = made.kept_bytes});
  return true;
}

bool Scheduler::sample(const Begun& begun, const Made& made) {
  const std::size_t bytes = begun.block.raw_bytes;
  if (!setup_.tries_levels || !begun.choice.keeps || begun.kind != Begun::Kind::read) return false;
  if (made.sample_bytes == 0 || made.sample_bytes > most_kept_bytes_) return false;
  if (bytes < kLeastSampleBytes || (sample_ && bytes < sample_->raw_bytes / 2)) return false;
  sample_ = Sample{.look = begun.block.look, .raw_bytes = bytes};
  return true;
}

void Scheduler::cancel(Ticket ticket, const LinkState& link) {
  const Begun begun = *std::exchange(worker_of(ticket).begun, std::nullopt);
  switch (begun.kind) {
    case Begun::Kind::read:
    case Begun::Kind::rest:
      ended_ = true;
      reader_.reset();
      return;
    case Begun::Kind::recompress:
      return setup_.policy.learn(
          link,
          {.level = begun.choice.level, .look = begun.block.look, .ticket = begun.choice.ticket});
    case Begun::Kind::trial:
      tries_ = false;
      return;
  }
}

void Scheduler::progress(const LinkState& link) {
  if (!over_) setup_.policy.observe(link);
}

void Scheduler::leave(Worker worker) {
  memory_bytes_ -= std::exchange(workers_[worker].memory_bytes, 0);
}

Scheduler::WorkerState& Scheduler::worker_of(Ticket ticket) {
  const auto worker = std::ranges::find_if(workers_, [ticket](const WorkerState& one) {
    return one.begun && one.begun->ticket == ticket;
  });
  if (worker == workers_.end()) throw Error(ErrorKind::internal, "a ticket that nobody has");
  return *worker;
}

}  // namespace adoc
