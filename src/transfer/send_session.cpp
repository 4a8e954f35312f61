#include "transfer/send_session.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "adoc/error.hpp"
#include "codec/manifest.hpp"
#include "pipeline/communication_stage.hpp"
#include "pipeline/threads.hpp"
#include "transfer/expect_shards.hpp"
#include "transfer/peer_error.hpp"
#include "util/safe_name.hpp"
#include "wire/broken_protocol.hpp"
#include "wire/frame.hpp"

namespace adoc {

namespace {

/// A batch is full at this many bytes of names and metadata, or at kFullContentBytes.
constexpr std::size_t kFullManifestBytes = 128 << 10;

/// What is seen between decisions is told of no more often.
constexpr std::int64_t kObserveNs = 50'000'000;

/// What the receiver took before, it may by now have.
void note_taken(OutgoingBatch& batch) {
  if (batch.wants.empty()) return;
  batch.taken.resize(batch.wants.size());
  for (std::size_t i = 0; i < batch.wants.size(); ++i)
    if (batch.wants[i].verb == Verb::take && batch.entries[i].kind != EntryKind::directory)
      batch.taken[i] = true;
}

BatchSize size_of(const OutgoingBatch& batch, const Offer& offer) {
  return {.entries = window_entries(batch.entries),
          .offer_bytes = window_bytes(offer),
          .content_bytes = std::min(batch.content_bytes, kFullContentBytes)};
}

void add_levels(std::vector<std::uint64_t>& sum, const std::vector<std::uint64_t>& blocks) {
  if (sum.size() < blocks.size()) sum.resize(blocks.size());
  for (std::size_t level = 0; level < blocks.size(); ++level) sum[level] += blocks[level];
}

/// The bytes of items of one byte are in order as they are.
bool filters(const PipelineOptions& options) noexcept {
  return options.filters && options.policy == PolicyKind::automatic && options.item_bytes != 1;
}

}  // namespace

SendSession::SendSession(const Setup& setup)
    : setup_(setup),
      fifo_(setup.options.pipeline.fifo_capacity()),
      ladder_(Ladder::of(setup.options.pipeline.ladder)),
      threads_(compression_threads(setup.options.pipeline, ladder_).count),
      policy_(make_policy(setup.options.pipeline, ladder_, threads_, setup.path_metrics)),
      source_({.wanted = wanted_,
               .sent = sent_,
               .fifo = fifo_,
               .stopped = stopped_,
               .stop = ended_.get_token(),
               .allow_changed = setup.options.allow_changed && !setup.options.shard,
               .lossy = lossy_,
               .keep = setup.options.keep,
               .input = setup.input,
               .answers = &setup.counters.times.answers,
               .goes_on = &rejoins_}),
      compress_stage_({.ladder = ladder_,
                       .policy = *policy_,
                       .packet_bytes = setup.options.pipeline.packet_size(),
                       .block_bytes = setup.options.pipeline.block_bytes,
                       .threads = threads_,
                       .memory_bytes = setup.options.pipeline.memory_limit(),
                       .source = source_,
                       .fifo = fifo_,
                       .stock = stock_,
                       .counters = setup.counters,
                       .receiver = receiver_,
                       .peer_features = peer_features_,
                       .observer = setup.observer,
                       .stream = &setup.stream,
                       .filters = filters(setup.options.pipeline),
                       .item_bytes = setup.options.pipeline.item_bytes,
                       .before = setup.before}),
      reader_(setup.stream),
      liveness_(setup.options.timeout),
      lifeline_([this](const std::exception_ptr& failure) { end_all(failure); }) {}

void SendSession::run(const std::stop_token& stop) {
  Hello hello = liveness_.hello(Role::sender);
  if (!setup_.options.resume) hello.drop(Feature::resume);
  if (!has_codec(CodecId::bzip3)) hello.drop(Feature::dense);
  if (setup_.options.retry_for.count() == 0) hello.drop(Feature::returns);
  if (!setup_.may_join) hello.drop(Feature::streams);
  if (!setup_.rejoins) hello.drop(Feature::rejoins);
  if (setup_.input != nullptr) setup_.input->begin();
  fifo_.push(hello.encode());
  {
    // Gone before the failure is asked for: a stop request may come at any time.
    const std::stop_callback on_stop(stop, [this] { lifeline_.interrupt(); });
    // Room for all before the first runs: where there is none, nobody must be waited for.
    std::vector<std::jthread> compressing;
    compressing.reserve(threads_);
    const std::jthread hearing = lifeline_.start([this] { hear(); });
    while (compressing.size() < threads_)
      compressing.push_back(lifeline_.start([this] { compress(); }));
    const std::jthread communicating = lifeline_.start([this] { communicate(); });
    lifeline_.guard([this] { offer_batches(); });
  }
  setup_.counters.times.finishing.end(clock_ns());
  tell_learned();
  add_levels(setup_.statistics.levels, compress_stage_.blocks_at_level());
  if (const auto failure = lifeline_.failure()) {
    note_end(failure);
    keep_unsettled();
    std::rethrow_exception(failure);
  }
}

void SendSession::note_end(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    lost_ = error.kind() == ErrorKind::connect && heard_receiver_ && !receiver_gave_up_;
  } catch (...) {
    lost_ = false;
  }
}

void SendSession::keep_unsettled() {
  for (; !in_flight_.empty(); in_flight_.pop_back())
    if (!in_flight_.back()->settled) setup_.unsettled.push_front(in_flight_.back());
}

bool SendSession::lost_for_good() const noexcept {
  return setup_.input != nullptr && setup_.input->is_gone() &&
         std::ranges::any_of(setup_.unsettled, [](const OutgoingBatchPtr& batch) {
           return !batch->sources.empty() && batch->sources.back().is_standard_input;
         });
}

// The queues first: whoever wakes up because of the rest must find them failed.
void SendSession::end_all(const std::exception_ptr& failure) noexcept {
  fifo_.fail(failure);
  compress_stage_.fail(failure);
  greeted_.fail(failure);
  window_.fail(failure);
  offered_.fail(failure);
  wanted_.fail(failure);
  sent_.fail(failure);
  stopped_.set();
  ended_.request_stop();
  setup_.stream.abort();
}

// Offers wait for no answer; but what is to be kept can only be said to who understands it.
void SendSession::wait_for_features() {
  if (!setup_.options.keep.anything() && !setup_.options.shard && !setup_.lossy.how) return;
  static_cast<void>(greeted_.pop());
  setup_.walker.lose(lossy_ = lossy_for(setup_.lossy.how, peer_features_));
  if (setup_.options.shard) expect_shards(peer_features_, setup_.lossy.how.has_value());
  if (setup_.options.keep.anything() && !Hello{.features = peer_features_}.has(Feature::metadata))
    setup_.statistics.not_kept.receiver_keeps_none = true;
}

void SendSession::offer_batches() {
  wait_for_features();
  bool last = false;
  for (std::uint64_t id = 0; !last; ++id) {
    PipelineTimes& times = setup_.counters.times;
    OutgoingBatchPtr batch;
    {
      const LiveTime::Doing walking(times.walking);
      batch = next_batch();
    }
    batch->id = id;
    // Before anything is waited for: what was found is offered over the next connection.
    in_flight_.push_back(batch);
    last = batch->last;
    Offer made = make_offer(*batch);
    std::size_t under_way = 0;
    {
      const LiveTime::Doing waiting(times.commits);
      under_way = window_.enter(size_of(*batch, made));
    }
    // Those before them are settled.
    while (in_flight_.size() > under_way) in_flight_.pop_front();
    ++batch->offers;
    Bytes offer = encode_frame(made);
    // Before the offer: whoever hears the want that answers it finds the batch in the queue.
    offered_.push(std::move(batch));
    fifo_.push(std::move(offer));
  }
}

OutgoingBatchPtr SendSession::next_batch() {
  if (!setup_.unsettled.empty()) {
    OutgoingBatchPtr batch = std::move(setup_.unsettled.front());
    setup_.unsettled.pop_front();
    return batch;
  }
  auto batch = std::make_shared<OutgoingBatch>();
  try {
    fill(*batch);
  } catch (...) {
    // The walk goes on behind it, over the next connection.
    if (!batch->entries.empty()) setup_.unsettled.push_back(std::move(batch));
    throw;
  }
  return batch;
}

void SendSession::fill(OutgoingBatch& batch) {
  std::size_t manifest_bytes = 0;
  while (batch.entries.size() < kMaxBatchEntries && manifest_bytes < kFullManifestBytes &&
         batch.content_bytes < kFullContentBytes) {
    auto found = setup_.walker.next(ended_.get_token());
    if (!found) {
      batch.last = true;
      setup_.totals.all_found = true;
      break;
    }
    manifest_bytes += found->entry.name.str().size() + found->entry.link_target.size() + 48 +
                      (found->entry.data ? found->entry.data->size() * 18 : 0) +
                      (found->entry.metadata ? found->entry.metadata->encoded_bytes() : 0);
    // A file of unknown size ends its batch: its bytes end where the stream does.
    if (!found->entry.is_other_name())
      batch.content_bytes +=
          found->entry.size == kUnknownSize ? kFullContentBytes : found->entry.own_bytes();
    if (found->entry.kind == EntryKind::file) ++setup_.totals.files_found;
    batch.entries.push_back(std::move(found->entry));
    batch.sources.push_back(std::move(found->source));
    batch.failures.push_back(std::move(found->failure));
  }
}

Offer SendSession::make_offer(OutgoingBatch& batch) const {
  if (setup_.statistics.not_kept.receiver_keeps_none)
    for (Entry& entry : batch.entries) entry.metadata.reset();
  for (Entry& entry : batch.entries)
    if (entry.kind == EntryKind::file) entry.lossy = said_lossy(lossy_, peer_features_);
  Offer offer{.batch = batch.id,
              .last = batch.last,
              .dry_run = setup_.options.dry_run,
              .keep_existing = !setup_.options.overwrite_existing,
              .force = setup_.options.force};
  pack_manifest(batch.entries, offer);
  return offer;
}

void SendSession::compress() {
  if (!compress_stage_.run()) return;
  compress_stage_.watch_rest();
  if (rejoins_) setup_.counters.times.finishing.begin(clock_ns());
  tell_learned();
}

// By the last that compresses, or once none does any more: the policy is not shared.
void SendSession::tell_learned() {
  if (std::exchange(told_learned_, true) || !setup_.learned) return;
  if (const auto learned = policy_->path_metrics()) setup_.learned(*learned);
}

void SendSession::communicate() {
  std::optional<RateLimit> limit;
  if (const std::uint64_t rate = setup_.options.bandwidth_limit; rate != 0)
    limit.emplace(rate, Clock::now());
  CommunicationStage stage({.fifo = fifo_,
                            .stock = stock_,
                            .stream = setup_.stream,
                            .counters = setup_.counters,
                            .pace = liveness_.pace(),
                            .limit = limit ? &*limit : nullptr,
                            .crossing = &crossing_});
  stage.run();
  if (!stage.lost() && !rejoins_) setup_.counters.times.finishing.begin(clock_ns());
}

void SendSession::hear_want(Want want) {
  auto batch = offered_.try_pop();
  if (!batch || (*batch)->id != want.batch || (*batch)->entries.size() != want.items.size())
    broken_protocol("a want does not fit what was offered");
  if (Hello{.features = peer_features_}.has(Feature::wide_window) &&
      std::ranges::any_of(want.items,
                          [](const auto& item) { return item.ranges.size() > kMaxWantedRanges; }))
    broken_protocol("a want names too many ranges");
  // This session is the only one that gives it.
  if (setup_.input != nullptr && !rejoins_) {
    setup_.stream.keep_nothing();
    setup_.input->let_go();
  }
  ++wanted_batches_;
  note_taken(**batch);
  (*batch)->wants = std::move(want.items);
  (*batch)->says_hashes = Hello{.features = peer_features_}.has(Feature::whole_hash);
  setup_.totals.queue_position = 0;
  const StreamSize size = stream_size({(*batch)->entries, (*batch)->wants});
  setup_.totals.add(size, (*batch)->last);
  if (!first_wanted_bytes_) first_wanted_bytes_ = size.bytes;
  wanted_size_.bytes += size.bytes;
  wanted_size_.known = wanted_size_.known && size.known;
  if ((*batch)->last && wanted_size_.known) compress_stage_.expect(wanted_size_.bytes);
  // What is there when it is offered again is there because this transfer has sent it.
  if (!setup_.options.dry_run && (*batch)->offers == 1)
    setup_.totals.resumed_bytes += resumed_bytes((*batch)->entries, (*batch)->wants);
  const bool last = (*batch)->last;
  if (setup_.observer != nullptr) {
    tell_broken_items(**batch);
    crossing_file_.add(*batch);
  }
  wanted_.push(*std::move(batch));
  if (last) wanted_.close();
}

// Once: of a tree, all that goes with its numbers may be so.
void SendSession::tell_broken_items(const OutgoingBatch& batch) {
  const std::size_t lost_bytes = setup_.lossy.how ? number_bytes(setup_.lossy.how->type) : 0;
  const std::size_t item_bytes = std::max(setup_.options.pipeline.item_bytes, lost_bytes);
  if (item_bytes <= 1 || std::exchange(told_broken_items_, true)) return;
  for (std::size_t i = 0; i < batch.entries.size(); ++i) {
    const Entry& entry = batch.entries[i];
    if (entry.kind == EntryKind::file && batch.wants[i].verb == Verb::take &&
        entry.size != kUnknownSize && entry.size % item_bytes != 0)
      return setup_.observer->on_broken_items(batch.sources[i].path, item_bytes);
  }
  told_broken_items_ = false;
}

void SendSession::hear_commit(const Commit& commit) {
  const auto batch = sent_.try_pop();
  if (!batch || (*batch)->id != commit.batch || (*batch)->entries.size() != commit.items.size())
    broken_protocol("a commit does not fit what was sent");
  for (std::size_t i = 0; i < commit.items.size(); ++i) settle(**batch, i, commit.items[i]);
  for (const std::size_t entry : (*batch)->changed)
    if (setup_.observer != nullptr && commit.items[entry].fate == Fate::committed)
      setup_.observer->on_changed((*batch)->sources[entry].path);
  if ((*batch)->like_text && setup_.lossy_observer != nullptr && !std::exchange(told_text_, true))
    setup_.lossy_observer->on_lossy_text((*batch)->sources[*(*batch)->like_text].path);
  (*batch)->settled = true;
  setup_.statistics.not_kept.attributes += (*batch)->with_attributes;
  setup_.statistics.not_kept.access_lists += (*batch)->with_access_lists;
  note_arrived(std::nullopt);
  crossing_file_.passed(commit.batch);
  ++committed_batches_;
  last_committed_ = (*batch)->last;
  window_.leave();
}

void SendSession::hear_status(const Status& status) {
  const auto seconds = [](std::uint64_t us) { return static_cast<double>(us) * 1e-6; };
  ReceiverReport report = receiver_.report();
  report.stalled_share =
      status.interval_us == 0
          ? 0
          : std::min(1.0, seconds(status.stalled_us) / seconds(status.interval_us));
  report.seconds += seconds(status.interval_us);
  report.stalled_seconds += report.stalled_share * seconds(status.interval_us);
  report.decompressing_seconds += seconds(status.decompressing_us);
  report.writing_seconds += seconds(status.writing_us);
  report.written_bytes += static_cast<double>(status.written_bytes);
  receiver_.tell(report);
  note_arrived(std::nullopt);
}

void SendSession::note_arrived(std::optional<std::uint64_t> bytes) {
  if (!bytes && Hello{.features = peer_features_}.has(Feature::arrivals)) return;
  if (!bytes) {
    const auto delivery = setup_.stream.delivery();
    bytes = delivery ? delivery->arrived_bytes : setup_.counters.wire_bytes.load();
  }
  const Crossing::Crossed& crossed = crossing_.arrived(*bytes);
  setup_.totals.crossed(crossed);
  if (setup_.observer == nullptr) return;
  if (const std::string* const name = crossing_file_.at(crossed.place))
    setup_.observer->on_crossing(*name);
}

void SendSession::tell_observation() {
  if (setup_.observer == nullptr) return;
  const std::int64_t now = clock_ns();
  if (now - observed_at_ns_ < kObserveNs) return;
  observed_at_ns_ = now;
  setup_.observer->on_observation(observation());
}

void SendSession::tell_lost(const OutgoingBatch& batch, std::size_t entry) {
  if (batch.lost.empty() || batch.lost[entry].numbers == 0) return;
  ++setup_.lossy.files;
  setup_.lossy.figures.add(batch.lost[entry]);
  if (setup_.lossy_observer != nullptr)
    setup_.lossy_observer->on_lossy(batch.sources[entry].path, batch.lost[entry]);
}

void SendSession::settle(const OutgoingBatch& batch, std::size_t entry, const Commit::Item& item) {
  if (item.fate == Fate::part && !batch.entries[entry].share)
    broken_protocol("a commit has a part of something that is sent whole");
  const std::string& failure = batch.failures[entry];
  std::string message;
  EntryOutcome outcome = EntryOutcome::failed;
  if (!failure.empty()) {
    message = adoc::quoted(batch.sources[entry].path) + " was not sent: " + failure;
    if (failure == kVanished) ++setup_.statistics.vanished;
  } else if (item.fate == Fate::failed) {
    message = adoc::quoted(batch.sources[entry].path) +
              " failed on the other side: " + printable(item.reason);
  } else if (item.fate == Fate::incomplete) {
    message = adoc::quoted(batch.sources[entry].path) +
              " is not the same on the other side: " + printable(item.reason);
    outcome = EntryOutcome::incomplete;
  } else {
    outcome = item.fate == Fate::committed ? EntryOutcome::committed
              : item.fate == Fate::part    ? EntryOutcome::in_part
              : item.fate == Fate::have    ? EntryOutcome::unchanged
                                           : EntryOutcome::kept;
    // It was committed over a connection that was lost before that was said.
    if (!batch.taken.empty() && batch.taken[entry] && outcome != EntryOutcome::in_part)
      outcome = EntryOutcome::committed;
  }
  if (outcome == EntryOutcome::committed || outcome == EntryOutcome::incomplete ||
      outcome == EntryOutcome::in_part)
    tell_lost(batch, entry);
  count_outcome(setup_.statistics,
                {.entry = batch.entries[entry], .outcome = outcome, .message = message});
  setup_.totals.entry_done(batch.entries[entry].kind == EntryKind::file);
  if (setup_.observer != nullptr)
    setup_.observer->on_entry(batch.entries[entry].name.str(), outcome, message);
}

}  // namespace adoc
