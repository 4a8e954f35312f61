#include "transfer/receive_session.hpp"

#include <string>

#include "adoc/error.hpp"
#include "adoc/options.hpp"
#include "pipeline/communication_stage.hpp"
#include "transfer/peer_error.hpp"
#include "util/safe_name.hpp"
#include "wire/frame.hpp"

namespace adoc {

namespace {

const std::size_t kPacketBytes = PipelineOptions{}.packet_bytes;

/// How long a failing receiver waits for the sender to hear why.
constexpr std::chrono::seconds kLinger{2};

bool is_lost_connection(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::connect;
  } catch (...) {
    return false;
  }
}

}  // namespace

ReceiveSession::ReceiveSession(const Setup& setup)
    : setup_(setup),
      inbound_(setup.fifo_packets * kPacketBytes),
      inbound_stock_(kPacketBytes),
      reader_(setup.stream),
      lifeline_([this](const std::exception_ptr& failure) { end_all(failure); }) {}

void ReceiveSession::run(const std::stop_token& stop) {
  // Not through the queue: a failure drops what waits there, and a peer that hears the reason
  // without the hello before it takes it for another protocol.
  setup_.stream.write_all(Hello{.role = Role::receiver}.encode());
  CommunicationStage communication(replies_, reply_stock_, setup_.stream, reply_counters_);
  {
    // Gone before the failure is asked for: a stop request may come at any time.
    const std::stop_callback on_stop(stop, [this] {
      lifeline_.fail(std::make_exception_ptr(Error(ErrorKind::interrupted, "interrupted")));
    });
    const std::jthread communicating = lifeline_.start([&] { communication.run(); });
    const std::jthread decompressing = lifeline_.start([this] { decompress(); });
    const std::jthread committing = lifeline_.start([this] { commit_batches(); });
    lifeline_.guard([this] { read_frames(); });
  }
  setup_.counters.wire_bytes = reader_.received_bytes();
  if (const auto failure = lifeline_.failure()) {
    tell_peer(failure);
    std::rethrow_exception(failure);
  }
  if (communication.lost())
    throw Error(ErrorKind::connect,
                "everything is committed, but the sender went away before it could be told");
}

// The queues first: whoever wakes up because of the rest must find them failed.
void ReceiveSession::end_all(const std::exception_ptr& failure) noexcept {
  inbound_.fail(failure);
  answered_.fail(failure);
  filled_.fail(failure);
  replies_.fail(failure);
  setup_.stream.stop_reading();
}

void ReceiveSession::tell_peer(const std::exception_ptr& failure) noexcept {
  if (is_lost_connection(failure)) return;
  try {
    setup_.stream.write_all(encode_frame(as_error_frame(failure)));
    setup_.stream.linger(kLinger);
  } catch (const Error&) {
    // There is nobody left to tell.
  }
}

void ReceiveSession::read_frames() {
  setup_.stream.set_read_timeout(kHelloTimeout);
  static_cast<void>(reader_.hello(Role::sender));
  setup_.stream.set_read_timeout({});
  while (const auto frame = reader_.next()) {
    setup_.counters.wire_bytes.store(reader_.received_bytes(), std::memory_order_relaxed);
    if (frame->type == FrameType::error)
      throw peer_error(ErrorFrame::decode(frame->bytes), "sender");
    if (frame->type == FrameType::offer) {
      answer(Offer::decode(frame->bytes));
      continue;
    }
    Bytes bytes = frame->type == FrameType::packet ? inbound_stock_.take() : Bytes();
    bytes.insert(bytes.end(), frame->bytes.begin(), frame->bytes.end());
    const std::size_t weight = inbound_weight(bytes);
    inbound_.push({frame->type, std::move(bytes)}, weight);
    if (frame->type == FrameType::end) {
      if (reader_.next()) broken_protocol("bytes came after the sender's end");
      return;
    }
  }
  throw Error(ErrorKind::connect, "the connection to " + setup_.stream.peer() +
                                      " is lost: the sender went away before its end");
}

void ReceiveSession::answer(const Offer& offer) {
  if (last_offered_) broken_protocol("an offer came after the last one");
  if (offer.batch != offered_batches_) broken_protocol("an offer is out of order");
  if (answered_.size() == kMaxBatchesInFlight) broken_protocol("too many batches are under way");
  ++offered_batches_;
  last_offered_ = offer.last;
  setup_.statistics.dry_run = offer.dry_run;
  OutputTree tree(setup_.destination);
  auto batch = std::make_unique<IncomingBatch>(offer, tree);
  setup_.totals.add(batch->wanted_size(), offer.last);
  Bytes want = encode_frame(batch->want());
  answered_.push(std::move(batch));
  replies_.push(std::move(want));
}

void ReceiveSession::decompress() {
  BatchSink sink(answered_, filled_, OutputTree(setup_.destination));
  DecompressStage stage(inbound_, inbound_stock_, sink, setup_.counters);
  stage.run();
  sink.expect_end(stage.batches());
  setup_.statistics.levels = stage.blocks_at_level();
  filled_.close();
}

void ReceiveSession::commit_batches() {
  OutputTree tree(setup_.destination);
  End end;
  while (const auto batch = filled_.pop()) {
    const Commit commit = (*batch)->commit(tree);
    replies_.push(encode_frame(commit));
    report(**batch, commit);
    ++end.batches;
  }
  replies_.push(encode_frame(end));
  replies_.close();
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
      case Fate::have:
        outcome = EntryOutcome::unchanged;
        break;
      case Fate::kept:
        outcome = EntryOutcome::kept;
        break;
      case Fate::failed:
        message = quoted(name) + " was not committed: " + commit.items[i].reason;
    }
    count_outcome(setup_.statistics, outcome, message);
    setup_.totals.entries_done.fetch_add(1, std::memory_order_relaxed);
    if (setup_.observer != nullptr) setup_.observer->on_entry(name, outcome, message);
  }
}

}  // namespace adoc
