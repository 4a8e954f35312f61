#include "transfer/receive_session.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <thread>

#include "adoc/error.hpp"
#include "adoc/options.hpp"
#include "destination/recorded_sink.hpp"
#include "pipeline/communication_stage.hpp"
#include "pipeline/decompress_stage.hpp"
#include "pipeline/threads.hpp"
#include "pipeline/write_stage.hpp"
#include "transfer/farewell.hpp"
#include "util/safe_name.hpp"
#include "wire/arrived.hpp"
#include "wire/broken_protocol.hpp"
#include "wire/frame.hpp"

namespace adoc {

namespace {

/// How often the sender hears how the receiver is doing.
constexpr std::int64_t kStatusNs = 20'000'000;
/// A reader that waits for the link for less than this part of the time does not keep up with it.
constexpr double kWaitingShare = 0.1;
/// A sender that does not read is not told more and more.
constexpr std::size_t kMostUnreadBytes = 64 << 10;

/// How long what has arrived over a lost connection may take to be written, and how long nothing of
/// it is taken for the end.
constexpr std::chrono::seconds kMostDrain{2};
constexpr std::chrono::milliseconds kDrainStep{50};

/// How long a failing receiver waits for the sender to hear why, and one that was told to stop.
constexpr std::chrono::milliseconds kLinger{2'000};
constexpr std::chrono::milliseconds kShortLinger{400};

std::uint64_t us(std::int64_t ns) { return static_cast<std::uint64_t>(ns / 1'000); }

/// What a total has grown by since it was said last.
std::uint64_t since(std::uint64_t total, std::uint64_t& said) {
  return total - std::exchange(said, total);
}

void take_room(Guarded<BatchWindow>& window, const BatchSize& batch) {
  const auto in_flight = window.lock();
  if (!in_flight->fits(batch)) broken_protocol("too many batches or entries are under way");
  in_flight->add(batch);
}

}  // namespace

Hello receiver_hello(const ReceiveOptions& options) {
  constexpr std::size_t kMostToSay = std::numeric_limits<std::uint8_t>::max();
  Hello hello = Liveness(options.timeout).hello(Role::receiver);
  hello.threads =
      static_cast<std::uint8_t>(std::min(kMostToSay, decompression_threads(options).count));
  if (!options.resume) hello.drop(Feature::resume);
  if (!options.metadata) hello.drop(Feature::metadata);
  if (!has_codec(CodecId::bzip3)) hello.drop(Feature::dense);
  if (!has_room_for_window(options)) hello.drop(Feature::matches);
  return hello;
}

ReceiveSession::ReceiveSession(const Setup& setup)
    : setup_(setup),
      stored_(setup.fifo_packets * kReceivedPacketBytes),
      inbound_(std::min(setup.fifo_packets * kReceivedPacketBytes, kMostInboundBytes)),
      reader_(setup.stream, setup.prelude != nullptr ? setup.prelude->heard : ByteSpan()),
      liveness_(setup.timeout),
      lifeline_([this](const std::exception_ptr& failure) { end_all(failure); }) {}

void ReceiveSession::run(const std::stop_token& stop) {
  CommunicationStage communication({.fifo = replies_,
                                    .stock = stock_,
                                    .stream = setup_.stream,
                                    .counters = reply_counters_,
                                    .pace = liveness_.pace()});
  lifeline_.guard([&] {
    say_hello();
    // Gone before the failure is asked for: a stop request may come at any time.
    const std::stop_callback on_stop(stop, [this] { lifeline_.interrupt(); });
    // Room for all before the first runs: where there is none, nobody must be waited for.
    std::vector<std::jthread> decompressing;
    decompressing.reserve(setup_.threads);
    const std::jthread communicating = lifeline_.start([&] { communication.run(); });
    while (decompressing.size() < setup_.threads)
      decompressing.push_back(lifeline_.start([this] { decompress(); }));
    const std::jthread answering = lifeline_.start([this] { answer_offers(); });
    const std::jthread writing = lifeline_.start([this] { write(); });
    const std::jthread committing = lifeline_.start([this] { commit_batches(); });
    lifeline_.guard([this] { read_or_drain(); });
  });
  setup_.counters.wire_bytes = reader_.received_bytes();
  if (const auto failure = lifeline_.failure()) {
    lost_ = is_lost_connection(failure) && !sender_gave_up_;
    if (!communication.said_all()) {
      tell_peer(failure, stop);
    } else if (is_interrupted(failure)) {
      // All is committed and said, and the sender has only to hear it.
      setup_.stream.linger(kShortLinger);
      return;
    }
    std::rethrow_exception(failure);
  }
  if (communication.lost()) {
    // It comes back to hear it.
    lost_ = true;
    throw Error(ErrorKind::connect,
                "everything is committed, but the sender went away before it could be told");
  }
}

// Not through the queue: a failure drops what waits there, and a peer that hears the reason
// without the hello before it takes it for another protocol.
void ReceiveSession::say_hello() {
  said_hello_ = setup_.prelude != nullptr;
  setup_.stream.write_all(said_hello_ ? setup_.prelude->unsaid : setup_.hello.encode());
  said_hello_ = true;
}

// The queues first: whoever wakes up because of the rest must find them failed.
void ReceiveSession::end_all(const std::exception_ptr& failure) noexcept {
  unwanted_.request_stop();
  failing_.request_stop();
  offers_.fail(failure);
  stored_.fail(failure);
  window_.fail(failure);
  inbound_.fail(failure);
  answered_.fail(failure);
  filled_.fail(failure);
  recorded_.fail(failure);
  replies_.fail(failure);
  setup_.stream.stop_reading();
}

void ReceiveSession::tell_peer(const std::exception_ptr& failure,
                               const std::stop_token& stop) noexcept {
  // Also one that is taken for gone: it may only have been stopped, and finds out why later.
  auto patience = kLinger;
  if (is_lost_connection(failure)) patience = {};
  if (stop.stop_requested()) patience = kShortLinger;
  const std::stop_callback hurry(stop.stop_requested() ? std::stop_token() : stop,
                                 [this] { setup_.stream.abort(); });
  const auto said = in_words(failure, setup_.words);
  said_hello_ ? say_why(setup_.stream, said, patience) : turn_away(setup_.stream, said, patience);
}

void ReceiveSession::read_or_drain() {
  try {
    read_frames();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::connect) drain();
    throw;
  }
}

// What has arrived is worth writing: it need not be sent again. It comes to rest when all of it is
// written, or the next block is one that was cut off.
void ReceiveSession::drain() {
  unwanted_.request_stop();
  const Clock::time_point end = Clock::now() + kMostDrain;
  for (std::uint64_t written = 0, before = 1;
       written != before && Clock::now() < end && !failing_.stop_requested();) {
    before = written;
    std::this_thread::sleep_for(kDrainStep);
    written = meter_.written_bytes + 1;
    if (inbound_.bytes() == 0 && stored_.size() == 0) return;
  }
}

void ReceiveSession::say_status() {
  const std::int64_t now = clock_ns();
  if (!peer_hears_status_ || now - status_at_ns_ < kStatusNs) return;
  if (replies_.bytes() > kMostUnreadBytes) return;
  const std::uint64_t interval = us(now - status_at_ns_);
  const Status status{
      .interval_us = interval,
      .stalled_us = stalled_us(interval),
      .decompressed_bytes = since(meter_.decompressed_bytes, status_sums_.decompressed_bytes),
      .decompressing_us = since(us(meter_.decompressing_ns), status_sums_.decompressing_us),
      .written_bytes = since(meter_.written_bytes, status_sums_.written_bytes),
      .writing_us = since(us(meter_.writing_ns), status_sums_.writing_us)};
  status_at_ns_ = now;
  replies_.push(encode_frame(status));
}

void ReceiveSession::say_arrived() {
  if (!peer_hears_arrivals_) return;
  arrived_at_ns_ = clock_ns();
  told_bytes_ = reader_.received_bytes();
  const std::uint64_t before = setup_.prelude != nullptr ? setup_.prelude->dropped_bytes : 0;
  // One that does not read may send for ever, and one that waits for this reads the latest.
  replies_.push_latest(encode_frame(Arrived{before + reader_.received_bytes()}));
}

// Where this side is short of processors the reading thread is never held up, and yet is what the
// link waits for: there is always something to read.
std::uint64_t ReceiveSession::stalled_us(std::uint64_t interval_us) {
  const std::uint64_t held_up = since(us(meter_.stalled_ns), status_sums_.stalled_us);
  const auto in_all = setup_.stream.waited_to_read();
  if (!in_all) return held_up;
  const std::uint64_t waited = us((*in_all - std::exchange(waited_, *in_all)).count());
  const bool keeps_up =
      static_cast<double>(waited) >= kWaitingShare * static_cast<double>(interval_us);
  return keeps_up ? held_up : interval_us - waited;
}

void ReceiveSession::take_offer(Offer offer) {
  if (last_offered_) broken_protocol("an offer came after the last one");
  if (offer.batch != offered_batches_) broken_protocol("an offer is out of order");
  // A sender has heard of the commit of all but so many; a recording had it at once.
  if (setup_.recorded && offered_batches_ - done_batches_ < kMaxBatchesInFlight) recorded_.push(0);
  take_room(offers_in_flight_, {.offer_bytes = window_bytes(offer)});
  ++offered_batches_;
  last_offered_ = offer.last;
  setup_.statistics.dry_run = offer.dry_run;
  offers_.push(std::move(offer));
  if (last_offered_) offers_.close();
}

// Not by the thread that reads: to look through what is there may take minutes.
void ReceiveSession::answer_offers() {
  OutputTree tree(setup_.destination, {unwanted_.get_token(), &setup_.intake});
  while (const auto offer = offers_.pop()) {
    expect_destination();
    IncomingBatchPtr batch = answer(*offer, tree);
    take_room(entries_in_flight_, {.entries = window_entries(batch->entries())});
    setup_.statistics.modes_trimmed = setup_.intake.trimmed();
    setup_.statistics.has_stream = setup_.intake.has_stream();
    setup_.totals.add(batch->wanted_size(), offer->last);
    setup_.totals.resumed_bytes += batch->resumed_bytes();
    setup_.totals.found(static_cast<std::uint64_t>(
                            std::ranges::count(batch->entries(), EntryKind::file, &Entry::kind)),
                        offer->last);
    Bytes want = encode_frame(batch->want());
    if (offer->last) tree.partials().close();
    if (!batch->wanted_size().known) patient_until_done_ = batch->id() + 1;
    answered_.push(std::move(batch));
    // Before it is said: whoever has heard it may have finished a moment later.
    ++answered_batches_;
    replies_.push(std::move(want));
  }
}

IncomingBatchPtr ReceiveSession::answer(const Offer& offer, OutputTree& tree) {
  try {
    return std::make_unique<IncomingBatch>(
        offer,
        IncomingBatch::Setup{tree, setup_.intake, resume_, setup_.descriptors, metadata_, shares_});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
  }
  // Nobody waits for it any more. Why, is for the thread that has found that out.
  offers_.wait_for_failure();
}

void ReceiveSession::decompress() {
  DecompressStage({.stored = stored_,
                   .inbound = inbound_,
                   .stock = stock_,
                   .meter = meter_,
                   .memory = memory_,
                   .window = window_})
      .run();
}

void ReceiveSession::write() {
  BatchSink sink({.offered = offered_batches_,
                  .answered = answered_,
                  .filled = filled_,
                  .destination = setup_.destination,
                  .tree = {failing_.get_token(), &setup_.intake},
                  .on_name =
                      [this](const std::string& name) {
                        if (setup_.observer != nullptr) setup_.observer->on_crossing(name);
                      },
                  .on_failed =
                      [this](const Failed& failed) {
                        if (peer_hears_failures_) replies_.push(encode_frame(failed));
                      }});
  RecordedSink recorded(sink);
  BlockSink& first = setup_.recorded ? static_cast<BlockSink&>(recorded) : sink;
  WriteStage stage(inbound_, stock_, first, setup_.counters, meter_);
  stage.run();
  sink.expect_end(stage.batches());
  setup_.statistics.levels = stage.blocks_at_level();
  filled_.close();
}

void ReceiveSession::commit_batches() {
  OutputTree tree(setup_.destination, {failing_.get_token(), &setup_.intake});
  End end;
  while (const auto batch = filled_.pop()) {
    const Commit commit = (*batch)->commit(tree);
    // One reason for all of them, and the true one.
    if (std::ranges::any_of(commit.items,
                            [](const auto& item) { return item.fate == Fate::failed; }))
      expect_destination();
    offers_in_flight_.lock()->remove();
    entries_in_flight_.lock()->remove();
    static_cast<void>(recorded_.try_pop());
    if ((*batch)->last()) {
      tree.partials().close();
      remove_empty_store(setup_.destination);
    }
    // A sender that does not read gets no more.
    replies_.wait_for_room();
    replies_.push(encode_frame(commit), 1);
    report(**batch, commit);
    ++end.batches;
  }
  replies_.push_last(encode_frame(end));
}

void ReceiveSession::expect_destination() const {
  if (!setup_.out_directory.empty()) expect_named(setup_.destination, setup_.out_directory);
}

void ReceiveSession::tell_lossy(const Entry& entry, EntryOutcome outcome) {
  const bool came = outcome == EntryOutcome::committed || outcome == EntryOutcome::incomplete ||
                    outcome == EntryOutcome::in_part;
  if (!entry.lossy || !came) return;
  ++setup_.lossy.files;
  setup_.lossy.how = entry.lossy;
  if (setup_.lossy_observer != nullptr)
    setup_.lossy_observer->on_lossy_file(entry.name.str(), *entry.lossy);
}

void ReceiveSession::report(const IncomingBatch& batch, const Commit& commit) {
  for (std::size_t i = 0; i < commit.items.size(); ++i) {
    const std::string& name = batch.entries()[i].name.str();
    EntryOutcome outcome = EntryOutcome::failed;
    std::string message;
    switch (commit.items[i].fate) {
      case Fate::committed:
        outcome = EntryOutcome::committed;
        break;
      case Fate::part:
        outcome = EntryOutcome::in_part;
        break;
      case Fate::have:
        outcome = EntryOutcome::unchanged;
        break;
      case Fate::kept:
        outcome = EntryOutcome::kept;
        break;
      case Fate::incomplete:
        outcome = EntryOutcome::incomplete;
        message = adoc::quoted(name) + " is not as it was sent: " + commit.items[i].reason;
        break;
      case Fate::failed:
        message = adoc::quoted(name) + " was not received: " + commit.items[i].reason;
        if (commit.items[i].reason == kVanished) ++setup_.statistics.vanished;
    }
    tell_lossy(batch.entries()[i], outcome);
    count_outcome(setup_.statistics,
                  {.entry = batch.entries()[i], .outcome = outcome, .message = message});
    setup_.totals.entry_done(batch.entries()[i].kind == EntryKind::file);
    if (setup_.observer != nullptr) setup_.observer->on_entry(name, outcome, message);
  }
}

}  // namespace adoc
