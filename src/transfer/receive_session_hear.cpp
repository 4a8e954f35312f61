#include <string>

#include "adoc/error.hpp"
#include "pipeline/block_assembler.hpp"
#include "transfer/peer_error.hpp"
#include "transfer/receive_session.hpp"
#include "util/prompt_thread.hpp"
#include "util/seconds_text.hpp"
#include "wire/arrived.hpp"
#include "wire/broken_protocol.hpp"
#include "wire/frame.hpp"

// What the sender says, frame by frame.
namespace adoc {

namespace {

/// How often the sender hears what has arrived, if not more often than that.
constexpr std::int64_t kArrivedNs = 100'000'000;

}  // namespace

void ReceiveSession::read_frames() {
  const PromptThread prompt;
  const Hello hello = reader_.hello(Role::sender, liveness_.hello_limit());
  peer_hears_status_ = hello.has(Feature::status);
  peer_hears_arrivals_ = hello.has(Feature::arrivals);
  peer_hears_failures_ = hello.has(Feature::failures) && !setup_.recorded;
  sender_returns_ = hello.has(Feature::returns);
  // What cannot be compared as a whole is not built upon.
  resume_ = setup_.resume && hello.has(Feature::resume) && hello.has(Feature::whole_hash);
  metadata_ = setup_.metadata && hello.has(Feature::metadata);
  shares_ = hello.has(Feature::shares);
  // What was recorded was offered to one that names none.
  if (hello.has(Feature::wide_window) && !setup_.recorded) {
    offers_in_flight_.lock()->widen({.offer_bytes = kMaxOfferBytesInFlight});
    entries_in_flight_.lock()->widen({.entries = kMaxEntriesInFlight});
  }
  liveness_.begin(hello, setup_.stream, replies_);
  if (setup_.streams && hello.has(Feature::streams)) {
    rejoins_ = hello.has(Feature::rejoins) && peer_hears_arrivals_;
    if (rejoins_) setup_.stream.outlast(setup_.timeout, [this] { make_room_for_records(); });
    replies_.push(encode_frame(*setup_.streams));
  }
  status_at_ns_ = clock_ns();
  waited_ = setup_.stream.waited_to_read().value_or(waited_);
  BlockAssembler assembler({.reader = reader_,
                            .stored = stored_,
                            .inbound = inbound_,
                            .stock = stock_,
                            .meter = meter_,
                            .window = setup_.hello.has(Feature::matches) ? &window_ : nullptr,
                            .held_up = [this] { look_at_peer(); }});
  reader_.on_received([this] {
    // Whoever hears one for what it has told may rely on that it was understood.
    if (rejoins_ && !was_told_) return;
    const bool is_much = rejoins_ && reader_.received_bytes() - told_bytes_ >= kMostUntold;
    if (is_much || clock_ns() - arrived_at_ns_ >= kArrivedNs) say_arrived();
  });
  while (const auto frame = reader_.next()) {
    setup_.counters.wire_bytes.store(reader_.received_bytes(), std::memory_order_relaxed);
    if (frame->type == FrameType::error) {
      sender_gave_up_ = true;
      throw peer_error(ErrorFrame::decode(frame->bytes), "sender");
    }
    if (frame->type == FrameType::keep_alive) {
      static_cast<void>(KeepAlive::decode(frame->bytes));
      note_still();
      continue;
    }
    if (frame->type == FrameType::split) {
      static_cast<void>(Split::decode(frame->bytes));
      begin_records();
      continue;
    }
    if (frame->type == FrameType::arrived) {
      hear_arrived(Arrived::decode(frame->bytes).bytes);
      continue;
    }
    moved_at_ = Clock::now();
    if (frame->type == FrameType::done) ++done_batches_;
    if (frame->type == FrameType::offer) {
      take_offer(Offer::decode(frame->bytes));
      continue;
    }
    // Before it is dealt with: nothing may come behind this side's own end.
    if (frame->type == FrameType::done || frame->type == FrameType::end) say_arrived();
    if (frame->type == FrameType::end) peer_hears_arrivals_ = false;
    assembler.take(*frame);
    if (frame->type == FrameType::block_end || frame->type == FrameType::cut) say_status();
    if (frame->type == FrameType::end) {
      stored_.close();
      if (was_told_) return hear_farewell();
      if (!reader_.at_end()) broken_protocol("bytes came after the sender's end");
      return;
    }
  }
  throw_gone();
}

// One thread decompresses less meanwhile: a path that needs several connections is a long one.
void ReceiveSession::make_room_for_records() {
  if (!std::exchange(has_record_memory_, true))
    record_memory_ = setup_.memory.take(failing_.get_token());
}

void ReceiveSession::begin_records() {
  make_room_for_records();
  reader_.begin_records();
  // This side's direction changes with the next frame that it sends.
  replies_.push(encode_frame(KeepAlive{}));
}

/// So much the sender has read, and need not hear again.
void ReceiveSession::hear_arrived(std::uint64_t bytes) {
  if (!rejoins_) broken_protocol("a sender that cannot come back says what it has read");
  setup_.stream.note_acknowledged(bytes);
  // It waits for that, to let go what it has kept of standard input.
  if (!std::exchange(was_told_, true)) say_arrived();
}

// Until the sender has heard this side's end another connection may have to come for it. One that
// does not come leaves everything committed, and said as well as that went.
void ReceiveSession::hear_farewell() {
  try {
    while (const auto frame = reader_.next()) {
      if (frame->type == FrameType::arrived) {
        setup_.stream.note_acknowledged(Arrived::decode(frame->bytes).bytes);
      } else if (frame->type == FrameType::split) {
        make_room_for_records();
        reader_.begin_records();
      } else if (frame->type == FrameType::end) {
        setup_.stream.expect_end();
        if (!reader_.at_end()) broken_protocol("bytes came after the sender's end");
        return;
      } else if (frame->type != FrameType::keep_alive) {
        broken_protocol("bytes came after the sender's end");
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::connect) throw;
  }
}

void ReceiveSession::throw_gone() const {
  throw Error(ErrorKind::connect, "the connection to " + setup_.stream.peer() +
                                      " is lost: the sender went away before its end");
}

// A sender that waits for an answer has not sent its last batch: if it has finished, it is gone.
void ReceiveSession::look_at_peer() const {
  const Stream::PeerEnd end = setup_.stream.peer_end();
  if (end == Stream::PeerEnd::gone ||
      (end == Stream::PeerEnd::finished && answered_batches_ != offered_batches_))
    throw_gone();
}

/// Work that the sender waits for.
bool ReceiveSession::is_busy() const {
  const std::uint64_t offered = offered_batches_;
  return answered_batches_ != offered ||
         offered - offers_in_flight_.lock()->batches() != done_batches_ || stored_.size() != 0 ||
         inbound_.bytes() != 0;
}

// Nothing but that it is there. Whoever has nothing to send for so long comes again when it has,
// and goes on where it was; standard input could not, and what waits for it may wait long.
void ReceiveSession::note_still() {
  if (is_busy() || setup_.others_wait == nullptr || !*setup_.others_wait ||
      done_batches_ < patient_until_done_) {
    moved_at_ = Clock::now();
    return;
  }
  if (setup_.timeout.count() == 0 || Clock::now() - moved_at_ < setup_.timeout) return;
  throw Error(ErrorKind::connect, "nothing was sent for " + seconds_text(setup_.timeout),
              Hint::look_at_timeout, ", and others wait for their turn");
}

}  // namespace adoc
