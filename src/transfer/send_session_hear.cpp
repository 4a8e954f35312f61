#include <string>

#include "adoc/error.hpp"
#include "transfer/peer_error.hpp"
#include "transfer/send_session.hpp"
#include "util/safe_name.hpp"
#include "wire/broken_protocol.hpp"
#include "wire/frame.hpp"

// What the receiver says, frame by frame.
namespace adoc {

namespace {

/// No more of files is under way than what keeps a link busy; the other limits are the receiver's.
constexpr BatchSize kWideWindow{.entries = kMaxEntriesInFlight,
                                .offer_bytes = kMaxOfferBytesInFlight,
                                .content_bytes = kMaxBatchesInFlight * kFullContentBytes};

}  // namespace

void SendSession::hear() {
  const Hello hello = reader_.hello(Role::receiver, liveness_.hello_limit());
  peer_features_ = hello.features;
  receiver_.say_threads(hello.threads);
  heard_receiver_ = true;
  peer_patience_ = std::chrono::milliseconds(hello.patience_ms);
  liveness_.begin(hello, setup_.stream, fifo_);
  if (hello.has(Feature::wide_window)) window_.widen(kWideWindow);
  greeted_.push(0);
  while (const auto frame = reader_.next()) {
    switch (frame->type) {
      case FrameType::want:
        hear_want(Want::decode(frame->bytes));
        break;
      case FrameType::commit:
        hear_commit(Commit::decode(frame->bytes));
        break;
      case FrameType::status:
        hear_status(Status::decode(frame->bytes));
        break;
      case FrameType::failed:
        hear_failed(Failed::decode(frame->bytes));
        break;
      case FrameType::arrived:
        hear_arrived(Arrived::decode(frame->bytes));
        break;
      case FrameType::keep_alive:
        static_cast<void>(KeepAlive::decode(frame->bytes));
        break;
      case FrameType::streams:
        hear_streams(StreamsOffer::decode(frame->bytes));
        break;
      case FrameType::split:
        static_cast<void>(Split::decode(frame->bytes));
        reader_.begin_records();
        break;
      case FrameType::place:
        hear_place(QueuePlace::decode(frame->bytes));
        break;
      case FrameType::error: {
        const ErrorFrame error = ErrorFrame::decode(frame->bytes);
        // One that has lost us can be found again, one that was stopped has ended.
        receiver_gave_up_ = static_cast<ErrorKind>(error.kind) != ErrorKind::connect;
        if (sent_away() && !receiver_gave_up_)
          throw Error(ErrorKind::connect,
                      "the receiver does not take this transfer: " + printable(error.message));
        throw peer_error(error, "receiver");
      }
      case FrameType::end:
        return hear_end(End::decode(frame->bytes));
      default:
        broken_protocol(std::string("a receiver does not send ") + frame_name(frame->type));
    }
    if (rejoins_ && reader_.received_bytes() - said_heard_ >= kMostUntoldReplies) say_heard();
    tell_observation();
  }
  throw Error(ErrorKind::connect, "the connection to " + setup_.stream.peer() +
                                      " is lost: the receiver went away before it had committed "
                                      "everything");
}

void SendSession::hear_failed(const Failed& failed) {
  if (failed.batch >= wanted_batches_) broken_protocol("an entry failed that was not wanted");
  source_.failed_there(failed);
}

// Before any want, so before anything of standard input is sent.
void SendSession::hear_streams(const StreamsOffer& offer) {
  if (!setup_.may_join) broken_protocol("other connections were offered that nobody wants");
  const Hello peer{.features = peer_features_};
  rejoins_ = setup_.rejoins && peer.has(Feature::rejoins) && peer.has(Feature::arrivals);
  if (rejoins_)
    setup_.stream.outlast(std::chrono::milliseconds(0), {});
  else
    setup_.stream.keep_nothing();
  setup_.may_join(offer, peer_patience_);
  if (rejoins_) say_heard();
}

/// How much was read of what the receiver says: so much need not be said again.
void SendSession::say_heard() {
  said_heard_ = reader_.received_bytes();
  // One that does not read may talk for ever.
  fifo_.push_latest(encode_frame(Arrived{said_heard_}));
}

void SendSession::hear_arrived(const Arrived& arrived) {
  setup_.stream.note_acknowledged(arrived.bytes);
  // From here on the receiver knows that another connection may come, and waits for it.
  if (rejoins_ && crossing_.told_at() != 0 && arrived.bytes >= crossing_.told_at())
    setup_.input->let_go();
  note_arrived(arrived.bytes);
}

// A receiver to which this side may come back waits until it knows that its end was heard.
void SendSession::hear_end(const End& end) {
  if (end.batches != committed_batches_ || !last_committed_)
    broken_protocol("the receiver ended before it had answered for everything");
  if (!rejoins_) {
    if (reader_.next()) broken_protocol("bytes came after the receiver's end");
    return;
  }
  fifo_.push_last(encode_frame(end));
  setup_.stream.expect_end();
  try {
    if (reader_.next()) broken_protocol("bytes came after the receiver's end");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::connect) throw;
  }
}

void SendSession::hear_place(const QueuePlace& place) {
  if (first_wanted_bytes_) broken_protocol("a place in the queue came after the first want");
  sent_away_ = place.is_sent_away();
  if (sent_away_) return;
  setup_.totals.queue_position = place.position;
  setup_.totals.transfers_ahead = place.transfers;
  if (setup_.observer != nullptr && place.position != 0)
    setup_.observer->on_place(
        {.queue_position = place.position, .transfers_ahead = place.transfers});
}

}  // namespace adoc
