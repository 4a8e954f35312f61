#include "pipeline/compress_stage.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "pipeline/threads.hpp"
#include "wire/hello.hpp"

namespace adoc {

namespace {

/// A FIFO shorter than this stays below the law's threshold with the next packet.
constexpr std::size_t kShortFifoPackets = 8;

/// Compressors that have grown beyond this are let go when a thread turns to lighter work.
constexpr std::size_t kHeavyBytes = 16 << 20;

/// What has arrived is asked for no more often: it is a system call, and a rate needs longer.
constexpr std::int64_t kAskNs = 100'000;
/// To ask while the system is given bytes is to wait for it, while all threads wait for the turn;
/// done when what is known is older than this.
constexpr std::int64_t kAskAnywayNs = 1'000'000;

/// How long the policy is left without a look at the link while blocks are made.
constexpr std::int64_t kObserveNs = 5'000'000;

/// What is kept of blocks that wait, and no more than this part of the memory.
constexpr std::size_t kMostKeptBytes = 8 << 20;
constexpr std::size_t kKeptPart = 16;

/// Of a shorter block a dense level shows nothing of what it is chosen for.
constexpr std::size_t kLeastSampleBytes = 1 << 20;

/// How often it is looked at whether the communication thread has sent enough.
constexpr std::chrono::microseconds kLetSendStep{50};

}  // namespace

CompressStage::CompressStage(const Setup& setup)
    : setup_(setup),
      most_kept_bytes_(std::min(kMostKeptBytes, setup.memory_bytes / kKeptPart)),
      kept_(setup.fifo, setup.stock, most_kept_bytes_),
      blocks_at_level_(static_cast<std::size_t>(setup.ladder.last()) + 1) {
  Reading reading;
  reading.running = setup.threads;
  readings_.push(std::move(reading));
  turns_.push(Turn{});
}

CompressStage::Worker CompressStage::make_worker() {
  return {BlockEmitter(setup_.ladder, setup_.packet_bytes, setup_.fifo, setup_.stock,
                       [this] { return observe(); }),
          {}};
}

bool CompressStage::run() {
  Worker worker = make_worker();
  std::optional<Reading> reading;
  while (true) {
    if (!reading) reading = readings_.pop();
    std::optional<Begun> begun = begin_again(worker);
    if (!begun) begun = begin_segment(*reading, worker);
    if (!begun) break;
    // What goes raw is sent sooner than another thread would be awake to read.
    if (setup_.ladder[begun->choice.level].codec != CodecId::raw)
      readings_.push(*std::exchange(reading, std::nullopt));
    make_segment(worker, *begun);
  }
  const bool last = --reading->running == 0;
  readings_.push(*std::move(reading));
  if (!last && setup_.tries_levels) try_meanwhile(worker);
  leave(worker);
  return last;
}

void CompressStage::make_segment(Worker& worker, Begun begun) {
  while (true) {
    end_block(worker, begun, compress(worker, begun));
    if (!worker.segment) return;
    begun = begin_rest(worker);
  }
}

// What waits may be most of a short transfer, and nothing else is left to be made. The next
// transfer knows of the link what is seen now.
void CompressStage::watch_rest() {
  Worker worker = make_worker();
  while (!setup_.fifo.wait_until_empty(Clock::now() + std::chrono::nanoseconds(kObserveNs))) {
    static_cast<void>(observe());
    while (const auto begun = begin_again(worker)) make_segment(worker, *begun);
    try_out(worker);
  }
  Turn turn = *turns_.pop();
  turn.over = true;
  turns_.push(std::move(turn));
}

void CompressStage::leave(const Worker& worker) {
  Turn turn = *turns_.pop();
  turn.memory_bytes -= worker.memory_bytes;
  turns_.push(std::move(turn));
}

std::optional<CompressStage::Begun> CompressStage::begin_segment(Reading& reading, Worker& worker) {
  if (reading.ended) return std::nullopt;
  const bool waited = setup_.fifo.wait_for_room();
  const std::size_t bytes = plan().block_bytes;
  Begun begun = begun_now();
  begun.waited = waited;
  if (!read_segment(worker, bytes)) {
    reading.ended = true;
    return std::nullopt;
  }
  choose(begun, worker, bytes);
  share_segment(reading, *worker.segment, begun);
  return begun;
}

std::optional<CompressStage::Begun> CompressStage::begin_again(Worker& worker) {
  Turn turn = *turns_.pop();
  std::optional<Begun> begun;
  if (!kept_.empty()) {
    const LinkState link = link_state(turn);
    if (const auto remake = setup_.policy.remake(link, kept_.waiting())) {
      begun = begun_now();
      begun->look = remake->look;
      if (auto run = kept_.take_back(remake->first, remake->count)) {
        begun->number = turn.blocks++;
        begun->bytes = run->block.bytes.size();
        begun->instead_of = {.raw_bytes = begun->bytes, .wire_bytes = run->wire_bytes};
        begun->choice = within_bounds(turn, worker, remake->choice);
        for (const int level : run->levels) --blocks_at(level);
        worker.segment = Segment{.rest = run->block,
                                 .lane = run->lane,
                                 .buffer = {},
                                 .shared = setup_.stock.share(std::move(run->buffer)),
                                 .again = true};
      } else {
        setup_.policy.learn(link, {.level = remake->choice.level, .look = remake->look});
        begun.reset();
      }
    }
  }
  turns_.push(std::move(turn));
  return begun;
}

// A thread that finds nothing left to be made, while the link has much to send, is of use to what
// comes next.
void CompressStage::try_meanwhile(Worker& worker) {
  while (!setup_.fifo.wait_until_empty(Clock::now() + std::chrono::nanoseconds(kObserveNs)))
    try_out(worker);
}

void CompressStage::try_out(Worker& worker) {
  Turn turn = *turns_.pop();
  const Sample sample = turn.sample;
  const auto trial = begin_trial(turn, worker);
  turns_.push(std::move(turn));
  if (!trial) return;
  const auto written = worker.emitter.try_out(*sample.bytes, trial->level, trial->most_seconds);
  turn = *turns_.pop();
  turn.tries = false;
  if (written && !turn.over)
    setup_.policy.learn(link_state(turn), {.level = trial->level,
                                           .look = sample.look,
                                           .raw_bytes = written->raw_bytes,
                                           .wire_bytes = written->wire_bytes,
                                           .compress_seconds = written->compress_seconds,
                                           .processor_seconds = written->processor_seconds,
                                           .trial = true});
  turns_.push(std::move(turn));
}

std::optional<Trial> CompressStage::begin_trial(Turn& turn, Worker& worker) {
  if (turn.sample.bytes == nullptr || turn.tries || turn.over) return std::nullopt;
  const auto trial =
      setup_.policy.trial(link_state(turn), turn.sample.look, turn.sample.bytes->size());
  if (!trial) return std::nullopt;
  const Choice choice = within_bounds(turn, worker, {.level = trial->level});
  if (choice.level != trial->level) return std::nullopt;
  turn.tries = true;
  return trial;
}

CompressStage::Begun CompressStage::begin_rest(Worker& worker) {
  const std::size_t bytes = plan().block_bytes;
  Begun begun = begun_now();
  choose(begun, worker, bytes);
  return begun;
}

Plan CompressStage::plan() {
  Turn turn = *turns_.pop();
  const Plan plan = setup_.policy.plan(link_state(turn));
  if (plan.gives_way) give_way(turn, plan.block_bytes);
  if (plan.lets_send_seconds > 0) let_send(plan);
  turns_.push(std::move(turn));
  return plan;
}

CompressStage::Begun CompressStage::begun_now() const {
  return {.fifo_before = setup_.fifo.size(),
          .sent_before = setup_.counters.wire_bytes.load(std::memory_order_relaxed),
          .at = Clock::now()};
}

void CompressStage::choose(Begun& begun, Worker& worker, std::size_t most_bytes) {
  const ByteSpan rest = worker.segment->rest.bytes;
  begun.bytes = std::min(rest.size(), most_bytes);
  begun.look = look_at(rest.first(begun.bytes));
  Turn turn = *turns_.pop();
  begun.number = turn.blocks++;
  const Choice choice = setup_.policy.choose(link_state(turn), begun.look, begun.bytes);
  begun.choice = within_bounds(turn, worker, choice);
  turns_.push(std::move(turn));
  // What was read for a denser level is more than one block of a lighter one.
  if (begun.choice.level != choice.level && setup_.block_bytes == 0)
    begun.bytes = std::min(begun.bytes, block_shape(setup_.ladder[begun.choice.level]).block_bytes);
}

bool CompressStage::read_segment(Worker& worker, std::size_t bytes) {
  Bytes buffer = setup_.stock.take(bytes);
  buffer.resize(bytes);
  const auto block = setup_.source.next(buffer);
  if (!block) return false;
  // The block lies at the beginning of the buffer; this only cuts off what was not filled.
  buffer.resize(block->bytes.size());
  worker.segment = Segment{.rest = *block, .lane = setup_.fifo.open(), .buffer = std::move(buffer)};
  return true;
}

// Only levels that gain from it refer to what was before, and only their blocks are kept for it.
// What goes whole is in the FIFO as it is.
void CompressStage::share_segment(Reading& reading, Segment& segment, const Begun& begun) {
  const Rung& rung = setup_.ladder[begun.choice.level];
  const std::size_t reach = block_shape(rung).prefix_bytes;
  segment.linked = reach != 0 && peer_has(Feature::linked_blocks);
  const bool keeps = begun.choice.keeps && !BlockEmitter::goes_whole(rung, begun.bytes);
  if (segment.linked || keeps) segment.shared = setup_.stock.share(std::move(segment.buffer));
  if (keeps) keep_sample({.bytes = segment.shared, .look = begun.look});
  if (!segment.linked) {
    reading.linked.reset();
    return;
  }
  if (reading.linked) {
    segment.prefix = ByteSpan(*reading.linked).last(std::min(reach, reading.linked->size()));
    segment.prefix_owner = std::move(reading.linked);
  }
  reading.linked = segment.shared;
}

void CompressStage::keep_sample(Sample sample) {
  const std::size_t bytes = sample.bytes->size();
  if (!setup_.tries_levels) return;
  if (bytes < kLeastSampleBytes || sample.bytes->capacity() > most_kept_bytes_) return;
  Turn turn = *turns_.pop();
  if (turn.sample.bytes == nullptr || bytes >= turn.sample.bytes->size() / 2)
    turn.sample = std::move(sample);
  turns_.push(std::move(turn));
}

// What the densest levels take is more than all threads may have at once: those that find too
// little left do with a lighter level. So does all that goes to a peer that takes no such blocks.
Choice CompressStage::within_bounds(Turn& turn, Worker& worker, Choice choice) const {
  const std::size_t others = turn.memory_bytes - worker.memory_bytes;
  const std::size_t held = worker.segment ? worker.segment->rest.bytes.size() : 0;
  for (;; --choice.level) {
    const Rung& rung = setup_.ladder[choice.level];
    if (is_dense(rung.codec) && !peer_has(Feature::dense)) {
      choice.reason = "peer";
      continue;
    }
    const bool raw = rung.codec == CodecId::raw;
    const std::size_t codec =
        raw ? worker.compressor_bytes : compressor_bytes(rung, setup_.block_bytes);
    const std::size_t needed = codec + std::max(held, block_memory(rung, setup_.block_bytes));
    if (others + needed > setup_.memory_bytes && choice.level > 0) {
      choice.reason = "memory";
      continue;
    }
    if (!raw && worker.compressor_bytes > kHeavyBytes && codec <= kHeavyBytes)
      worker.emitter.forget_compressors();
    worker.compressor_bytes = codec;
    worker.memory_bytes = needed;
    turn.memory_bytes = others + needed;
    return choice;
  }
}

BlockEmitter::Written CompressStage::compress(Worker& worker, const Begun& begun) {
  Segment& segment = *worker.segment;
  RawBlock block = segment.rest;
  block.bytes = block.bytes.first(begun.bytes);
  const bool whole = segment.shared == nullptr && begun.bytes == segment.buffer.size();
  const BlockEmitter::Written written =
      worker.emitter.emit({.block = block,
                           .look = begun.look,
                           .level = begun.choice.level,
                           .lane = segment.lane,
                           .linked = segment.linked,
                           .prefix = segment.prefix,
                           .may_cut = begun.choice.may_cut && peer_has(Feature::cuts),
                           .uncut = begun.choice.uncut,
                           .whole = whole ? &segment.buffer : nullptr});
  segment.rest.bytes = segment.rest.bytes.subspan(written.raw_bytes);
  segment.rest.offset += written.raw_bytes;
  // What follows a cut is for a link that waits: no time for what a prefix gains.
  segment.prefix = {};
  if (segment.rest.bytes.empty()) setup_.fifo.close(segment.lane);
  return written;
}

// Where threads outnumber cores, this one would otherwise fill the FIFO for its whole time slice
// before the communication thread got its turn, and the law would take the scheduler for a slow
// link.
void CompressStage::give_way(Turn& turn, std::size_t packet_bytes) const {
  const double allowed = turn.patience.earn(packet_bytes);
  if (setup_.fifo.size() < kShortFifoPackets) return;
  const Clock::time_point begin = Clock::now();
  double waited = 0;
  do {
    std::this_thread::yield();
    waited = seconds_since(begin);
  } while (setup_.fifo.size() >= kShortFifoPackets && waited < allowed);
  turn.patience.spend(std::min(waited, allowed));
}

// Whoever has the turn keeps it meanwhile, so that all threads pause when they come to it.
void CompressStage::let_send(const Plan& plan) const {
  const Clock::time_point begin = Clock::now();
  while (setup_.fifo.ready_bytes() > plan.lets_send_bytes &&
         seconds_since(begin) < plan.lets_send_seconds)
    std::this_thread::sleep_for(kLetSendStep);
}

// The law is for a FIFO that has no bound and gets its packets as they are made. What waits outside
// a full FIFO would have made that one grow; and when this one ran dry while a block was held back,
// that one would have been no longer at the end.
void CompressStage::end_block(Worker& worker, const Begun& begun,
                              const BlockEmitter::Written& written) {
  Turn turn = *turns_.pop();
  const LinkState link = link_state(turn);
  BlockResult result{.level = begun.choice.level,
                     .look = begun.look,
                     .raw_bytes = written.raw_bytes,
                     .wire_bytes = written.wire_bytes,
                     .compress_seconds = written.compress_seconds,
                     .processor_seconds = written.processor_seconds,
                     .fifo_before = begun.fifo_before,
                     .fifo_after = link.fifo_packets,
                     .cut = written.raw_bytes < begun.bytes,
                     .instead_of = begun.instead_of};
  if (written.waited || begun.waited)
    result.fifo_after = std::max(result.fifo_after, begun.fifo_before + 1);
  if (written.ran_dry) result.fifo_after = 0;
  if (result.level == 1) turn.patience.compressed(result.compress_seconds, result.raw_bytes);
  setup_.policy.learn(link, result);

  ++blocks_at(result.level);
  if (!worker.segment->again)
    setup_.counters.raw_bytes.fetch_add(result.raw_bytes, std::memory_order_relaxed);
  setup_.counters.level.store(result.level, std::memory_order_relaxed);
  if (setup_.observer != nullptr) tell_observer(begun, result, link.seconds, written.codec);
  if (worker.segment->rest.bytes.empty())
    end_segment(*std::exchange(worker.segment, std::nullopt), begun, written);
  turns_.push(std::move(turn));
}

// One of several blocks, and one that others refer to, is never made anew.
void CompressStage::end_segment(Segment segment, const Begun& begun,
                                const BlockEmitter::Written& written) {
  const bool went_whole = segment.shared == nullptr && segment.buffer.empty();
  if (segment.shared == nullptr) setup_.stock.give_back(std::move(segment.buffer));
  const bool whole =
      went_whole || (segment.shared != nullptr && written.raw_bytes == segment.shared->size());
  if (!begun.choice.keeps || segment.linked || !whole) return;
  RawBlock block = segment.rest;
  block.bytes = {block.bytes.data() - written.raw_bytes, written.raw_bytes};
  block.offset -= written.raw_bytes;
  kept_.keep({.block = block,
              .owner = std::move(segment.shared),
              .lane = segment.lane,
              .level = begun.choice.level,
              .look = begun.look,
              .wire_bytes = written.wire_bytes});
}

void CompressStage::tell_observer(const Begun& begun, const BlockResult& result, double seconds,
                                  CodecId codec) const {
  const double drained = static_cast<double>(
      setup_.counters.wire_bytes.load(std::memory_order_relaxed) - begun.sent_before);
  setup_.observer->on_decision({.time_seconds = seconds,
                                .block = begun.number,
                                .raw_bytes = result.raw_bytes,
                                .wire_bytes = result.wire_bytes,
                                .level = result.level,
                                .codec = codec_name(codec),
                                .fifo_packets = result.fifo_after,
                                .drain_bytes_per_second = drained / seconds_since(begun.at),
                                .reason = begun.choice.reason});
}

// The buffers of the system and of the link take a megabyte at once, whatever the link's rate: only
// what has arrived shows it, and what our system still holds waits like what is in the FIFO.
void CompressStage::ask_delivery(Turn& turn, std::int64_t now_ns) const {
  const std::int64_t known_ns = now_ns - turn.asked_at_ns;
  if (known_ns < kAskNs) return;
  if (known_ns < kAskAnywayNs && setup_.stream != nullptr && setup_.stream->delivery_waits())
    return;
  turn.asked_at_ns = now_ns;
  const std::uint64_t taken = setup_.counters.wire_bytes.load(std::memory_order_relaxed);
  const auto told = setup_.stream != nullptr ? setup_.stream->delivery() : std::nullopt;
  const Delivery delivery = told.value_or(Delivery{.arrived_bytes = taken});
  turn.unsent_bytes = std::min(taken, delivery.unsent_bytes);
  turn.sent_bytes = taken - turn.unsent_bytes;
  turn.arrived_bytes = std::min(turn.sent_bytes, delivery.arrived_bytes);
  turn.queue_seconds = delivery.queue_seconds;
  turn.carrying_seconds_per_byte = delivery.carrying_seconds_per_byte;
}

LinkState CompressStage::link_state(Turn& turn) {
  const std::int64_t now = clock_ns();
  seen_at_ns_.store(now, std::memory_order_relaxed);
  ask_delivery(turn, now);
  link_sends_.store(turn.unsent_bytes != 0 || turn.queue_seconds > 0, std::memory_order_relaxed);
  const std::uint64_t taken = setup_.counters.wire_bytes.load(std::memory_order_relaxed);
  return {.seconds = static_cast<double>(now - begin_ns_) * 1e-9,
          .sent_bytes = turn.sent_bytes,
          .arrived_bytes = turn.arrived_bytes,
          .unsent_bytes = turn.unsent_bytes,
          .ready_bytes = setup_.fifo.ready_bytes() + taken - turn.sent_bytes,
          .queued_bytes = setup_.fifo.bytes() + taken - turn.sent_bytes,
          .fifo_packets = setup_.fifo.size(),
          .queue_seconds = turn.queue_seconds,
          .carrying_seconds_per_byte = turn.carrying_seconds_per_byte,
          .receiver = setup_.receiver.report()};
}

// A dense block takes a second: what the link does meanwhile is seen from packet to packet.
bool CompressStage::observe() {
  if (clock_ns() - seen_at_ns_.load(std::memory_order_relaxed) >= kObserveNs) {
    // Whoever has it looks by itself.
    if (auto turn = turns_.try_pop()) {
      if (!turn->over) setup_.policy.observe(link_state(*turn));
      turns_.push(*std::move(turn));
    }
  }
  return link_sends_.load(std::memory_order_relaxed);
}

bool CompressStage::peer_has(Feature feature) const noexcept {
  return Hello{.features = setup_.peer_features.load(std::memory_order_relaxed)}.has(feature);
}

}  // namespace adoc
