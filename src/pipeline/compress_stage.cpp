#include "pipeline/compress_stage.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "codec/apart.hpp"
#include "pipeline/observed.hpp"
#include "wire/hello.hpp"

namespace adoc {

namespace {

/// How long the policy is not told of the link while blocks are made.
constexpr std::int64_t kObserveNs = 5'000'000;
/// How often the system is asked what it has left to send.
constexpr std::int64_t kUnsentNs = 200'000;

/// What a shorter read takes of a processor is not asked.
constexpr std::size_t kTimedBytes = 32 << 10;

std::int64_t to_ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

std::chrono::nanoseconds nanoseconds(double seconds) {
  return std::chrono::nanoseconds(to_ns(seconds));
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
                                             .memory_bytes = setup.memory_bytes})}) {}

CompressStage::Worker CompressStage::make_worker() {
  return {.number = shared_.lock()->joined++,
          .emitter = BlockEmitter(setup_.ladder, setup_.packet_bytes, setup_.fifo, setup_.stock,
                                  [this] { return observe(); }),
          .filter = BlockFilter({.choice = filters_,
                                 .stock = setup_.stock,
                                 .item_bytes = static_cast<std::uint8_t>(setup_.item_bytes),
                                 .take_memory = [this](std::size_t bytes) {
                                   return shared_.lock()->scheduler.take_memory(bytes);
                                 }})};
}

bool CompressStage::run() {
  Worker worker = make_worker();
  for (Scheduler::Job job = next(worker);; job = next(worker)) {
    if (const auto* ended = std::get_if<Scheduler::Ended>(&job)) return ended->last;
    work(worker, job);
  }
}

// The next transfer knows of the link what is seen now.
void CompressStage::watch_rest() {
  while (!setup_.fifo.wait_until_empty(Clock::now() + std::chrono::nanoseconds(kObserveNs)))
    static_cast<void>(observe());
}

void CompressStage::fail(const std::exception_ptr& failure) noexcept {
  const auto shared = shared_.lock();
  if (!shared->failure) shared->failure = failure;
  if (shared->finder) shared->finder->fail(failure);
  shared_.wake_all();
}

Scheduler::Job CompressStage::next(Worker& worker) {
  while (true) {
    link_.ask();
    auto shared = shared_.lock();
    if (shared->failure) std::rethrow_exception(shared->failure);
    const Scheduler::Job job = shared->scheduler.next(
        worker.number,
        {.link = link_state(), .room = setup_.fifo.has_room(), .left_alone = work_is_left_alone()});
    const auto* wait = std::get_if<Scheduler::Wait>(&job);
    if (wait == nullptr || *wait != Scheduler::Wait::for_reader) return job;
    shared.wait([&] { return shared->failure || shared->scheduler.can_read(); });
  }
}

void CompressStage::work(Worker& worker, const Scheduler::Job& job) {
  if (const auto* read = std::get_if<Scheduler::Read>(&job)) return this->read(worker, *read);
  if (const auto* yield = std::get_if<Scheduler::Yield>(&job)) return this->yield(*yield);
  setup_.fifo.wait_for_room();
}

void CompressStage::read(Worker& worker, const Scheduler::Read& job) {
  Begun begun{.ticket = job.ticket,
              .sent_before = setup_.counters.wire_bytes.load(std::memory_order_relaxed),
              .at = Clock::now()};
  if (!job.rest && !read_segment(worker, job.bytes)) {
    shared_.lock()->scheduler.cancel(job.ticket);
    return shared_.wake_all();
  }
  Segment& segment = *worker.segment;
  begun.bytes = std::min(segment.rest.bytes.size(), job.bytes);
  RawBlock block = segment.rest;
  block.bytes = block.bytes.first(begun.bytes);
  begun.stats = sample_stats(block.bytes);
  if (!job.rest && !block.predicted.windows.empty() && peer_has(Feature::predictions))
    worker.filter.predict();
  else if (!job.rest && setup_.filters && peer_has(Feature::filters))
    worker.filter.choose(segment.rest.bytes, begun.stats, worker.emitter,
                         {.level = setup_.counters.level.load(std::memory_order_relaxed),
                          .prices = job.filter_prices});
  else if (!job.rest)
    worker.filter.forget();
  begun.stats = worker.filter.stats(block, begun.stats);
  link_.ask();
  bool others_may_read = false;
  {
    const auto shared = shared_.lock();
    begun.order = shared->scheduler.begin(
        job.ticket, link_state(),
        {.raw_bytes = begun.bytes, .stats = begun.stats, .most_bytes = worker.filter.most_bytes()});
    begun.bytes = begun.order.raw_bytes;
    if (!job.rest) {
      link_segment(*shared, worker, begun.order.choice.level);
      place_segment(*shared, worker, begun.order.choice);
    }
    others_may_read = shared->scheduler.can_read();
  }
  if (others_may_read) shared_.wake_one();
  worker.filter.settle(setup_.ladder[begun.order.choice.level].codec == CodecId::raw);
  if (begun.order.forget_compressors) worker.emitter.forget_compressors();
  end_block(worker, begun, compress(worker, begun));
}

// To be woken takes longer than a packet of the law's is sent in.
void CompressStage::yield(const Scheduler::Yield& job) {
  const Clock::time_point begin = Clock::now();
  if (job.fifo_packets == SIZE_MAX) {
    let_go(job.ready_bytes, begin + nanoseconds(job.seconds));
    return;
  }
  do std::this_thread::yield();
  while (setup_.fifo.size() > job.fifo_packets && seconds_since(begin) < job.seconds);
}

// What the system has left to send it does not tell by itself. The queue throws when it has failed.
void CompressStage::let_go(std::size_t most_bytes, Clock::time_point end) {
  while (true) {
    link_.ask();
    const LinkState link = link_.peek();
    const Clock::time_point now = Clock::now();
    if (link.ready_bytes + link.overdue_bytes <= most_bytes || now >= end) return;
    const auto look = std::min(end, now + std::chrono::nanoseconds(kUnsentNs));
    if (setup_.fifo.wait_until_ready(most_bytes, look)) std::this_thread::sleep_until(look);
    observe();
  }
}

// To ask what a processor was needed for is a system call: not for the packets of the paper's law.
std::optional<RawBlock> CompressStage::read_block(Buffer& buffer) {
  PipelineTimes& times = setup_.counters.times;
  const bool timed = buffer.size() >= kTimedBytes;
  const double processor_begin = timed ? thread_seconds() : 0;
  std::optional<RawBlock> block;
  {
    const LiveTime::Doing reading(times.reading);
    block = setup_.source.next(buffer);
  }
  if (timed) times.reading_processor_ns += to_ns(thread_seconds() - processor_begin);
  return block;
}

bool CompressStage::read_segment(Worker& worker, std::size_t bytes) {
  Buffer buffer = setup_.stock.take(bytes);
  buffer.resize(bytes);
  const auto block = read_block(buffer);
  if (!block) return false;
  // The block lies at the beginning of the buffer; this only cuts off what was not filled.
  buffer.resize(block->bytes.size());
  read_bytes_.fetch_add(block->bytes.size(), std::memory_order_relaxed);
  worker.segment = Segment{.rest = *block, .lane = setup_.fifo.open(), .buffer = std::move(buffer)};
  return true;
}

// Only levels that gain from it refer to what was before, and only their blocks are kept for it.
// They may outlive the transfer, at a library's call that nobody waits for.
void CompressStage::link_segment(Shared& shared, Worker& worker, int level) const {
  Segment& segment = *worker.segment;
  const std::size_t most = block_shape(setup_.ladder[level]).prefix_bytes;
  segment.linked = most != 0 && !worker.filter.filters() && peer_has(Feature::linked_blocks);
  if (segment.linked) segment.shared = std::make_shared<const Buffer>(std::move(segment.buffer));
  const auto before = std::exchange(shared.linked, segment.shared);
  if (!segment.linked || !before) return;
  segment.prefix = ByteSpan(*before).last(std::min(most, before->size()));
  segment.prefix_owner = before;
}

void CompressStage::place_segment(Shared& shared, Worker& worker, const Choice& choice) const {
  Segment& segment = *worker.segment;
  if (!(choice.search || block_shape(setup_.ladder[choice.level]).matches) || segment.linked ||
      worker.filter.filters() || segment.rest.bytes.size() > kMaxMatchedBlockBytes ||
      !peer_has(Feature::matches))
    return;
  if (!shared.finder) {
    if (!shared.scheduler.take_memory(MatchFinder::kMemoryBytes)) return;
    shared.finder = std::make_unique<MatchFinder>();
  }
  segment.finder = shared.finder.get();
  segment.place = segment.finder->place(segment.rest.bytes.size());
}

CompressStage::Prepared CompressStage::prepare(Worker& worker, const RawBlock& block, int level) {
  Prepared prepared;
  Segment& segment = *worker.segment;
  const bool search = segment.place && !std::exchange(segment.searched, true);
  const bool filter = worker.filter.filters() && setup_.ladder[level].codec != CodecId::raw;
  if (!search && !filter) return prepared;
  const Clock::time_point begin = Clock::now();
  const double processor_begin = thread_seconds();
  if (search) this->search(segment, block.bytes.size(), prepared);
  if (filter && worker.filter.predicts()) {
    BlockFilter::Folded folded = worker.filter.fold(block);
    prepared.bytes = std::move(folded.bytes);
    if (!prepared.bytes.empty()) prepared.predicted = std::move(folded.predicted);
    prepared.literals = folded.literals;
  } else if (filter) {
    prepared.filter = worker.filter.chosen();
    prepared.bytes = worker.filter.apply(block.bytes);
  }
  prepared.seconds = seconds_since(begin);
  prepared.processor_seconds = thread_seconds() - processor_begin;
  return prepared;
}

// What follows a cut is for a link that waits: no time to search it.
void CompressStage::search(Segment& segment, std::size_t bytes, Prepared& prepared) {
  prepared.searched = true;
  prepared.matches = segment.finder->search(*segment.place, segment.rest.bytes, bytes);
  if (prepared.matches.empty()) return;
  prepared.bytes = setup_.stock.take(bytes);
  append_literals(prepared.bytes, segment.rest.bytes.first(bytes), prepared.matches);
}

BlockEmitter::Written CompressStage::compress(Worker& worker, const Begun& begun) {
  Segment& segment = *worker.segment;
  const Choice& choice = begun.order.choice;
  RawBlock block = segment.rest;
  block.bytes = block.bytes.first(begun.bytes);
  Prepared prepared = prepare(worker, block, choice.level);
  const bool whole =
      segment.shared == nullptr && begun.bytes == segment.buffer.size() && prepared.matches.empty();
  BlockEmitter::Written written = worker.emitter.emit(
      {.block = block,
       .stats = begun.stats,
       .level = choice.level,
       .lane = segment.lane,
       .linked = segment.linked,
       .prefix = {segment.prefix, segment.prefix_owner},
       .matches = segment.place ? &prepared.matches : nullptr,
       .literals = prepared.matches.empty() ? block.bytes : prepared.bytes,
       .filter = prepared.filter,
       .filtered = prepared.bytes,
       .predicted = prepared.predicted.windows.empty() ? nullptr : &prepared.predicted,
       .predicted_literals = prepared.literals,
       .may_cut = choice.may_cut && peer_has(Feature::cuts),
       .whole = whole ? &segment.buffer : nullptr,
       .gives_up = [this, ticket = begun.ticket] {
         return shared_.lock()->scheduler.gives_up(ticket, link_state());
       }});
  if (prepared.searched)
    written.matched_bytes = matched_bytes_of(written.raw_bytes, prepared.matches);
  written.compress_seconds += prepared.seconds;
  written.processor_seconds += prepared.processor_seconds;
  setup_.stock.give_back(std::move(prepared.bytes));
  segment.rest.bytes = segment.rest.bytes.subspan(written.raw_bytes);
  segment.rest.offset += written.raw_bytes;
  if (!segment.rest.predicted.windows.empty())
    segment.rest.predicted = last_windows(segment.rest.predicted, written.raw_bytes);
  // What follows a cut is for a link that waits: no time for what a prefix gains.
  segment.prefix = {};
  if (segment.rest.bytes.empty()) setup_.fifo.close(segment.lane);
  return written;
}

void CompressStage::end_block(Worker& worker, const Begun& begun,
                              const BlockEmitter::Written& written) {
  link_.ask();
  PipelineTimes& times = setup_.counters.times;
  times.making_ns += to_ns(written.compress_seconds);
  times.making_processor_ns += to_ns(written.processor_seconds);
  if (written.raw_bytes == 0) return;  // it was given up
  Ended ended{.codec = written.codec, .filter = written.filter, .predicted = written.predicted};
  {
    const auto shared = shared_.lock();
    const LinkState link = link_state();
    ended.result = shared->scheduler.done(begun.ticket, link,
                                          {.raw_bytes = written.raw_bytes,
                                           .wire_bytes = written.wire_bytes,
                                           .matched_bytes = written.matched_bytes,
                                           .compress_seconds = written.compress_seconds,
                                           .processor_seconds = written.processor_seconds,
                                           .waited = written.waited,
                                           .ran_dry = written.ran_dry});
    link_price_.store(setup_.policy.link_price().value_or(0), std::memory_order_relaxed);
    if (setup_.observer != nullptr) ended.seen = seen(link);
  }
  setup_.counters.raw_bytes.fetch_add(written.raw_bytes, std::memory_order_relaxed);
  setup_.counters.level.store(begun.order.choice.level, std::memory_order_relaxed);
  if (setup_.observer != nullptr) tell_observer(begun, ended);
  Segment& segment = *worker.segment;
  if (!segment.rest.bytes.empty()) return;
  if (segment.shared == nullptr) setup_.stock.give_back(std::move(segment.buffer));
  worker.segment.reset();
}

void CompressStage::tell_observer(const Begun& begun, const Ended& ended) const {
  const double drained = static_cast<double>(
      setup_.counters.wire_bytes.load(std::memory_order_relaxed) - begun.sent_before);
  const BlockResult& result = ended.result;
  setup_.observer->on_decision({.time_seconds = ended.seen.time_seconds,
                                .block = begun.order.number,
                                .raw_bytes = result.raw_bytes,
                                .wire_bytes = result.wire_bytes,
                                .level = result.level,
                                .codec = codec_name(ended.codec),
                                .fifo_packets = result.fifo_after,
                                .drain_bytes_per_second = drained / seconds_since(begun.at),
                                .reason = begun.order.choice.reason,
                                .entropy_bits = begun.stats.entropy_bits,
                                .random = begun.stats.random,
                                .filter = ended.predicted ? "predicted" : filter_name(ended.filter),
                                .seen = ended.seen});
}

Observation CompressStage::observation() {
  link_.ask();
  return seen(link_.peek());
}

Observation CompressStage::seen(const LinkState& link) const {
  return adoc::observation(setup_.before,
                           {.times = setup_.counters.times,
                            .link = link,
                            .delivery = link_.delivery(),
                            .link_price = link_price_.load(std::memory_order_relaxed)});
}

// A dense block takes a second: what the link does meanwhile is seen from packet to packet.
bool CompressStage::observe() {
  if (link_.unseen_ns() >= kObserveNs) {
    link_.ask();
    // Whoever has it looks by itself.
    if (const auto shared = shared_.try_lock()) (*shared)->scheduler.progress(link_state());
  }
  return link_.sends();
}

LinkState CompressStage::link_state() {
  LinkState link = link_.state();
  link.takes_dense = peer_has(Feature::dense);
  const std::uint64_t all = all_bytes_.load(std::memory_order_relaxed);
  if (all != kUnknownSize)
    link.left_bytes = all - std::min(all, read_bytes_.load(std::memory_order_relaxed));
  return link;
}

bool CompressStage::peer_has(Feature feature) const noexcept {
  return Hello{.features = setup_.peer_features.load(std::memory_order_relaxed)}.has(feature);
}

}  // namespace adoc
