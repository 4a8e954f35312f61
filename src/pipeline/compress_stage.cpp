#include "pipeline/compress_stage.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "wire/hello.hpp"

namespace adoc {

namespace {

/// How long the policy is left without a look at the link while blocks are made.
constexpr std::int64_t kObserveNs = 5'000'000;

bool is(const Scheduler::Job& job, Scheduler::Wait wait) {
  const auto* waits = std::get_if<Scheduler::Wait>(&job);
  return waits != nullptr && *waits == wait;
}

std::chrono::nanoseconds nanoseconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace

CompressStage::CompressStage(const Setup& setup)
    : setup_(setup),
      link_({.fifo = setup.fifo,
             .counters = setup.counters,
             .receiver = setup.receiver,
             .stream = setup.stream}),
      shared_(Shared{.scheduler = Scheduler({.ladder = setup.ladder,
                                             .policy = setup.policy,
                                             .workers = setup.threads,
                                             .block_bytes = setup.block_bytes,
                                             .memory_bytes = setup.memory_bytes,
                                             .tries_levels = setup.tries_levels})}) {}

CompressStage::Worker CompressStage::make_worker() {
  return {.number = shared_.lock()->joined++,
          .emitter = BlockEmitter(setup_.ladder, setup_.packet_bytes, setup_.fifo, setup_.stock,
                                  [this] { return observe(); })};
}

bool CompressStage::run() {
  Worker worker = make_worker();
  Scheduler::Job job = next(worker);
  while (!is(job, Scheduler::Wait::all_made) && !is(job, Scheduler::Wait::for_queue)) {
    work(worker, job);
    job = next(worker);
  }
  if (is(job, Scheduler::Wait::all_made)) {
    last_.emplace(std::move(worker));
    return true;
  }
  if (setup_.tries_levels) use_rest(worker);
  shared_.lock()->scheduler.leave(worker.number);
  return false;
}

// The next transfer knows of the link what is seen now.
void CompressStage::watch_rest() {
  use_rest(*last_);
  shared_.lock()->scheduler.end();
  last_.reset();
}

void CompressStage::use_rest(Worker& worker) {
  while (!setup_.fifo.wait_until_empty(Clock::now() + std::chrono::nanoseconds(kObserveNs))) {
    static_cast<void>(observe());
    Scheduler::Job job = next(worker);
    for (; !is(job, Scheduler::Wait::for_queue); job = next(worker)) {
      work(worker, job);
      if (std::holds_alternative<Scheduler::TryLevel>(job)) break;
    }
  }
}

void CompressStage::fail(const std::exception_ptr& failure) noexcept {
  const auto shared = shared_.lock();
  if (!shared->failure) shared->failure = failure;
  shared_.wake_all();
}

Scheduler::Job CompressStage::next(Worker& worker) {
  while (true) {
    link_.ask();
    auto shared = shared_.lock();
    if (shared->failure) std::rethrow_exception(shared->failure);
    Scheduler::Job job = shared->scheduler.next(
        worker.number,
        {.link = link_.state(), .room = setup_.fifo.has_room(), .bytes_ahead = [&](auto ticket) {
           return shared->kept.bytes_ahead(setup_.fifo, ticket);
         }});
    shared->kept.let_go(shared->scheduler.let_go());
    if (std::holds_alternative<Scheduler::TryLevel>(job)) worker.sample = shared->sample;
    if (!is(job, Scheduler::Wait::for_reader)) return job;
    shared.wait([&] { return shared->failure || shared->scheduler.can_read(); });
  }
}

void CompressStage::work(Worker& worker, const Scheduler::Job& job) {
  if (const auto* read = std::get_if<Scheduler::Read>(&job)) return this->read(worker, *read);
  if (const auto* run = std::get_if<Scheduler::Recompress>(&job)) return recompress(worker, *run);
  if (const auto* trial = std::get_if<Scheduler::TryLevel>(&job)) return try_level(worker, *trial);
  if (const auto* yield = std::get_if<Scheduler::Yield>(&job)) return this->yield(*yield);
  setup_.fifo.wait_for_room();
}

void CompressStage::read(Worker& worker, const Scheduler::Read& job) {
  Begun begun = begun_now(job.ticket);
  if (!job.rest && !read_segment(worker, job.bytes)) {
    shared_.lock()->scheduler.cancel(job.ticket, link_.state());
    return shared_.wake_all();
  }
  Segment& segment = *worker.segment;
  const RawBlock& rest = segment.rest;
  begun.bytes = std::min(rest.bytes.size(), job.bytes);
  const Scheduler::Block block{.batch = rest.batch,
                               .offset = rest.offset,
                               .raw_bytes = begun.bytes,
                               .look = look_at(rest.bytes.first(begun.bytes))};
  link_.ask();
  {
    const auto shared = shared_.lock();
    if (peer_has(Feature::dense)) shared->scheduler.allow_dense();
    begun.order = shared->scheduler.begin(job.ticket, link_.state(), block);
    begun.bytes = begun.order.raw_bytes;
    if (!job.rest) share_segment(*shared, segment, begun);
  }
  if (!job.rest) shared_.wake_one();
  make(worker, begun);
}

void CompressStage::recompress(Worker& worker, const Scheduler::Recompress& job) {
  Begun begun = begun_now(job.ticket);
  auto run = take_back(shared_.lock()->kept.remove(job.run), setup_.fifo, setup_.stock);
  {
    const auto shared = shared_.lock();
    if (!run) return shared->scheduler.cancel(job.ticket, link_.state());
    begun.order = shared->scheduler.begin_run(job.ticket, run->left);
  }
  shared_.wake_one();
  begun.bytes = begun.order.raw_bytes;
  worker.segment = Segment{.rest = run->block,
                           .lane = run->lane,
                           .buffer = {},
                           .shared = setup_.stock.share(std::move(run->buffer)),
                           .again = true};
  make(worker, begun);
}

void CompressStage::try_level(Worker& worker, const Scheduler::TryLevel& job) {
  if (job.forget_compressors) worker.emitter.forget_compressors();
  const auto sample = std::exchange(worker.sample, nullptr);
  const auto written = worker.emitter.try_out(*sample, job.trial.level, job.trial.most_seconds);
  link_.ask();
  const auto shared = shared_.lock();
  if (!written) return shared->scheduler.cancel(job.ticket, link_.state());
  static_cast<void>(shared->scheduler.done(job.ticket, link_.state(),
                                           {.raw_bytes = written->raw_bytes,
                                            .wire_bytes = written->wire_bytes,
                                            .compress_seconds = written->compress_seconds,
                                            .processor_seconds = written->processor_seconds}));
}

// To be woken takes longer than a packet of the law's is sent in.
void CompressStage::yield(const Scheduler::Yield& job) {
  const Clock::time_point begin = Clock::now();
  if (job.fifo_packets == SIZE_MAX) {
    setup_.fifo.wait_until_ready(job.ready_bytes, begin + nanoseconds(job.seconds));
    return;
  }
  do std::this_thread::yield();
  while (setup_.fifo.size() > job.fifo_packets && seconds_since(begin) < job.seconds);
}

CompressStage::Begun CompressStage::begun_now(Scheduler::Ticket ticket) const {
  return {.ticket = ticket,
          .sent_before = setup_.counters.wire_bytes.load(std::memory_order_relaxed),
          .at = Clock::now()};
}

bool CompressStage::read_segment(Worker& worker, std::size_t bytes) {
  Buffer buffer = setup_.stock.take(bytes);
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
void CompressStage::share_segment(Shared& shared, Segment& segment, const Begun& begun) const {
  const Rung& rung = setup_.ladder[begun.order.choice.level];
  const std::size_t reach = block_shape(rung).prefix_bytes;
  segment.linked = reach != 0 && peer_has(Feature::linked_blocks);
  const bool keeps = begun.order.choice.keeps && !BlockEmitter::goes_whole(rung, begun.bytes);
  if (segment.linked || keeps) segment.shared = setup_.stock.share(std::move(segment.buffer));
  const auto before = std::exchange(shared.linked, segment.linked ? segment.shared : nullptr);
  if (!segment.linked || !before) return;
  segment.prefix = ByteSpan(*before).last(std::min(reach, before->size()));
  segment.prefix_owner = before;
}

void CompressStage::make(Worker& worker, const Begun& begun) {
  if (begun.order.forget_compressors) worker.emitter.forget_compressors();
  end_block(worker, begun, compress(worker, begun));
}

BlockEmitter::Written CompressStage::compress(Worker& worker, const Begun& begun) {
  Segment& segment = *worker.segment;
  const Choice& choice = begun.order.choice;
  RawBlock block = segment.rest;
  block.bytes = block.bytes.first(begun.bytes);
  const bool whole = segment.shared == nullptr && begun.bytes == segment.buffer.size();
  const BlockEmitter::Written written =
      worker.emitter.emit({.block = block,
                           .look = begun.order.look,
                           .level = choice.level,
                           .lane = segment.lane,
                           .linked = segment.linked,
                           .prefix = segment.prefix,
                           .may_cut = choice.may_cut && peer_has(Feature::cuts),
                           .uncut = choice.uncut,
                           .whole = whole ? &segment.buffer : nullptr});
  segment.rest.bytes = segment.rest.bytes.subspan(written.raw_bytes);
  segment.rest.offset += written.raw_bytes;
  // What follows a cut is for a link that waits: no time for what a prefix gains.
  segment.prefix = {};
  if (segment.rest.bytes.empty()) setup_.fifo.close(segment.lane);
  return written;
}

void CompressStage::end_block(Worker& worker, const Begun& begun,
                              const BlockEmitter::Written& written) {
  Segment& segment = *worker.segment;
  RawBlock block = segment.rest;
  block.bytes = {block.bytes.data() - written.raw_bytes, written.raw_bytes};
  block.offset -= written.raw_bytes;
  const std::size_t owned = segment.shared != nullptr ? segment.shared->capacity() : 0;
  // What went whole is in the FIFO as it was read.
  const std::size_t kept = written.went_whole ? written.raw_bytes : owned;
  link_.ask();
  Scheduler::Done done;
  double seconds = 0;
  {
    const auto shared = shared_.lock();
    const LinkState link = link_.state();
    seconds = link.seconds;
    done = shared->scheduler.done(begun.ticket, link,
                                  {.raw_bytes = written.raw_bytes,
                                   .wire_bytes = written.wire_bytes,
                                   .compress_seconds = written.compress_seconds,
                                   .processor_seconds = written.processor_seconds,
                                   .waited = written.waited,
                                   .ran_dry = written.ran_dry,
                                   .kept_bytes = segment.linked ? 0 : kept,
                                   .sample_bytes = owned});
    if (done.sample) shared->sample = segment.shared;
    if (done.keep)
      shared->kept.keep(begun.ticket,
                        {.block = block, .owner = segment.shared, .lane = segment.lane});
    shared->kept.let_go(shared->scheduler.let_go());
  }
  if (!segment.again)
    setup_.counters.raw_bytes.fetch_add(written.raw_bytes, std::memory_order_relaxed);
  setup_.counters.level.store(begun.order.choice.level, std::memory_order_relaxed);
  if (setup_.observer != nullptr) tell_observer(begun, done.result, seconds, written.codec);
  if (!segment.rest.bytes.empty()) return;
  if (segment.shared == nullptr) setup_.stock.give_back(std::move(segment.buffer));
  worker.segment.reset();
}

void CompressStage::tell_observer(const Begun& begun, const BlockResult& result, double seconds,
                                  CodecId codec) const {
  const double drained = static_cast<double>(
      setup_.counters.wire_bytes.load(std::memory_order_relaxed) - begun.sent_before);
  setup_.observer->on_decision({.time_seconds = seconds,
                                .block = begun.order.number,
                                .raw_bytes = result.raw_bytes,
                                .wire_bytes = result.wire_bytes,
                                .level = result.level,
                                .codec = codec_name(codec),
                                .fifo_packets = result.fifo_after,
                                .drain_bytes_per_second = drained / seconds_since(begun.at),
                                .reason = begun.order.choice.reason});
}

// A dense block takes a second: what the link does meanwhile is seen from packet to packet.
bool CompressStage::observe() {
  if (link_.unseen_ns() >= kObserveNs) {
    link_.ask();
    // Whoever has it looks by itself.
    if (const auto shared = shared_.try_lock()) (*shared)->scheduler.progress(link_.state());
  }
  return link_.sends();
}

bool CompressStage::peer_has(Feature feature) const noexcept {
  return Hello{.features = setup_.peer_features.load(std::memory_order_relaxed)}.has(feature);
}

}  // namespace adoc
