#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "adoc/error.hpp"
#include "io/rate_limit.hpp"
#include "io/stream.hpp"
#include "pipeline/crossing.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/keep_alive_pace.hpp"
#include "pipeline/unsent_limit.hpp"
#include "util/prompt_thread.hpp"
#include "wire/frame.hpp"
#include "wire/keep_alive.hpp"

namespace adoc {

/// The communication thread of Jeannot 2002, section 3.1: sends the FIFO's items in order,
/// several in one system call when they are there. Each side of a connection has one, and it alone
/// writes to the stream.
class CommunicationStage {
 public:
  struct Setup {
    Fifo& fifo;
    BufferStock& stock;
    Stream& stream;
    PipelineCounters& counters;
    const KeepAlivePace& pace;
    RateLimit* limit = nullptr;    ///< null: none
    Crossing* crossing = nullptr;  ///< told of all that is sent; null: nobody is
  };

  explicit CommunicationStage(const Setup& setup) : setup_(setup) {}

  /// Until the FIFO is closed and empty; then the peer sees the end. Throws what the FIFO throws.
  /// As long as nothing comes out of the FIFO it tells the peer that this side is there, whatever
  /// the other threads are busy with.
  ///
  /// A lost connection is not thrown: the peer may have said why before it went, and the thread
  /// that reads finds out. It gets what has arrived and then the end; what is still queued is
  /// dropped.
  ///
  /// A failure of the FIFO that comes after its last item was taken is not thrown: it was said.
  void run() {
    const PromptThread prompt;
    while (!setup_.fifo.all_taken() && take_some()) {
      if (!lost_) unless_lost([this] { send_taken(); });
      for (Buffer& frames : taken_) done_with(frames);
      taken_.clear();
    }
    setup_.stream.finish_writing();
    said_all_ = !lost_;
  }

  /// Whether something could not be written. After run().
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  /// Whether all was written, up to the last item. After run(), also one that threw.
  [[nodiscard]] bool said_all() const noexcept { return said_all_; }

 private:
  /// Items handed to the system in one call.
  static constexpr std::size_t kMostAtOnce = 16;
  static constexpr std::int64_t kAskProcessorNs = 5'000'000;

  bool take_some() {
    Fifo::Popped popped{};
    // Where the FIFO lets wait, one frame has ended and no other has begun.
    while ((popped = pop()) == Fifo::Popped::none_yet) unless_lost([this] { say_keep_alive(); });
    return popped == Fifo::Popped::some;
  }

  Fifo::Popped pop() {
    const auto interval = setup_.pace.interval();
    if (interval && !lost_)
      return setup_.fifo.pop_some_until(taken_, kMostAtOnce, sent_at_ + *interval);
    return setup_.fifo.pop_some(taken_, kMostAtOnce) ? Fifo::Popped::some : Fifo::Popped::ended;
  }

  template <typename Write>
  void unless_lost(Write write) {
    try {
      write();
      sent_at_ = Clock::now();
    } catch (const Error&) {
      lost_ = true;
      setup_.stream.stop_reading();
    }
  }

  void say_keep_alive() {
    const Bytes frame = encode_frame(KeepAlive{});
    if (setup_.crossing != nullptr) setup_.crossing->sending(frame);
    setup_.stream.write_all(frame);
    setup_.counters.wire_bytes.fetch_add(frame.size(), std::memory_order_relaxed);
    if (setup_.limit != nullptr) setup_.limit->took(frame.size());
  }

  /// What a processor was needed for is asked seldom: it is a system call.
  void note_processor(std::int64_t now_ns) {
    if (now_ns - processor_asked_ns_ < kAskProcessorNs) return;
    processor_asked_ns_ = now_ns;
    const auto processor = static_cast<std::int64_t>(thread_seconds() * 1e9);
    setup_.counters.times.sending_processor_ns +=
        processor - std::exchange(processor_ns_, processor);
  }

  void send_taken() {
    const LiveTime::Doing sending(setup_.counters.times.sending);
    const std::int64_t begin = clock_ns();
    // Before it leaves: whoever hears that it has arrived knows what it was.
    if (setup_.crossing != nullptr)
      for (const Buffer& frames : taken_) setup_.crossing->sending(frames);
    std::size_t first = 0;    // not yet sent as a whole
    std::size_t partial = 0;  // bytes of it that are
    while (first < taken_.size()) {
      pieces_.clear();
      for (std::size_t i = first; i < taken_.size(); ++i) pieces_.emplace_back(taken_[i]);
      pieces_.front() = pieces_.front().subspan(partial);
      std::size_t sent = write_some();
      setup_.counters.wire_bytes.fetch_add(sent, std::memory_order_relaxed);
      for (sent += partial; first < taken_.size() && sent >= taken_[first].size(); ++first) {
        sent -= taken_[first].size();
        done_with(taken_[first]);
      }
      partial = sent;
    }
    const std::int64_t end = clock_ns();
    note_processor(end);
    if (unsent_.passed(end - begin))
      if (const auto limit = unsent_.arrived(arrived_bytes()))
        setup_.stream.set_unsent_limit(*limit);
  }

  [[nodiscard]] std::uint64_t arrived_bytes() const {
    const auto delivery = setup_.stream.delivery();
    return delivery ? delivery->arrived_bytes
                    : setup_.counters.wire_bytes.load(std::memory_order_relaxed);
  }

  /// Some of the pieces, as the limit allows. It waits here and not on the other side of the FIFO,
  /// so that the policy takes the limit for the link's rate.
  std::size_t write_some() {
    if (setup_.limit == nullptr) return setup_.stream.write_some(pieces_);
    std::size_t all = 0;
    for (const ByteSpan piece : pieces_) all += piece.size();
    std::size_t allowed = 0;
    while ((allowed = setup_.limit->allowed(all, Clock::now())) == 0) {
      const LiveTime::Doing waiting(setup_.counters.times.held_back);
      setup_.fifo.pause_until(setup_.limit->next(all));
    }
    std::size_t count = 0;
    for (; allowed != 0; ++count) {
      pieces_[count] = pieces_[count].first(std::min(pieces_[count].size(), allowed));
      allowed -= pieces_[count].size();
    }
    const std::size_t sent = setup_.stream.write_some(std::span(pieces_).first(count));
    setup_.limit->took(sent);
    return sent;
  }

  /// Only now does it leave the FIFO's length: what the system has not taken still waits.
  void done_with(Buffer& frames) {
    if (frames.empty()) return;
    setup_.fifo.release();
    setup_.stock.give_back(std::exchange(frames, {}));
  }

  Setup setup_;
  UnsentLimit unsent_;
  Clock::time_point sent_at_ = Clock::now();
  std::vector<Buffer> taken_;
  std::vector<ByteSpan> pieces_;
  std::int64_t processor_ns_ = 0;  ///< that this thread had one, when that was asked last
  std::int64_t processor_asked_ns_ = 0;
  bool lost_ = false;
  bool said_all_ = false;
};

}  // namespace adoc
