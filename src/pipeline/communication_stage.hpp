#pragma once

#include <utility>
#include <vector>

#include "adoc/error.hpp"
#include "io/stream.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/unsent_limit.hpp"

namespace adoc {

/// The communication thread of Jeannot 2002, section 3.1: sends the FIFO's items in order,
/// several in one system call when they are there. Each side of a connection has one, and it alone
/// writes to the stream.
class CommunicationStage {
 public:
  CommunicationStage(Fifo& fifo, BufferStock& stock, Stream& stream, PipelineCounters& counters)
      : fifo_(fifo), stock_(stock), stream_(stream), counters_(counters) {}

  /// Until the FIFO is closed and empty; then the peer sees the end. Throws what the FIFO throws.
  ///
  /// A lost connection is not thrown: the peer may have said why before it went, and the thread
  /// that reads finds out. It gets what has arrived and then the end; what is still queued is
  /// dropped.
  void run() {
    while (take_some()) {
      if (!lost_) send_taken();
      for (Bytes& frames : taken_) done_with(frames);
      taken_.clear();
    }
    stream_.finish_writing();
  }

  /// Whether something could not be written. After run().
  [[nodiscard]] bool lost() const noexcept { return lost_; }

 private:
  /// Items handed to the system in one call.
  static constexpr std::size_t kMostAtOnce = 16;

  bool take_some() {
    const std::int64_t begin = clock_ns();
    counters_.idle_since_ns.store(begin, std::memory_order_relaxed);
    const bool more = fifo_.pop_some(taken_, kMostAtOnce);
    counters_.idle_since_ns.store(0, std::memory_order_relaxed);
    counters_.idle_ns.fetch_add(clock_ns() - begin, std::memory_order_relaxed);
    return more;
  }

  void send_taken() {
    try {
      const std::int64_t begin = clock_ns();
      std::size_t all = 0;
      std::size_t first = 0;    // not yet sent as a whole
      std::size_t partial = 0;  // bytes of it that are
      while (first < taken_.size()) {
        pieces_.clear();
        for (std::size_t i = first; i < taken_.size(); ++i) pieces_.emplace_back(taken_[i]);
        pieces_.front() = pieces_.front().subspan(partial);
        std::size_t sent = stream_.write_some(pieces_);
        counters_.wire_bytes.fetch_add(sent, std::memory_order_relaxed);
        all += sent;
        for (sent += partial; first < taken_.size() && sent >= taken_[first].size(); ++first) {
          sent -= taken_[first].size();
          done_with(taken_[first]);
        }
        partial = sent;
      }
      if (const auto limit = unsent_.sent(all, clock_ns() - begin))
        stream_.set_unsent_limit(*limit);
    } catch (const Error&) {
      lost_ = true;
      stream_.stop_reading();
    }
  }

  /// Only now does it leave the FIFO's length: what the system has not taken still waits.
  void done_with(Bytes& frames) {
    if (frames.empty()) return;
    fifo_.release();
    stock_.give_back(std::exchange(frames, {}));
  }

  Fifo& fifo_;
  BufferStock& stock_;
  Stream& stream_;
  PipelineCounters& counters_;
  UnsentLimit unsent_;
  std::vector<Bytes> taken_;
  std::vector<ByteSpan> pieces_;
  bool lost_ = false;
};

}  // namespace adoc
