#pragma once

#include "adoc/error.hpp"
#include "io/stream.hpp"
#include "pipeline/fifo.hpp"

namespace adoc {

/// The communication thread of Jeannot 2002, section 3.1: takes the FIFO's items one by one and
/// sends them. Each side of a connection has one, and it alone writes to the stream.
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
    while (auto frames = fifo_.pop()) {
      if (!lost_) send(*frames);
      stock_.give_back(*std::move(frames));
    }
    stream_.finish_writing();
  }

  /// Whether something could not be written. After run().
  [[nodiscard]] bool lost() const noexcept { return lost_; }

 private:
  void send(const Bytes& frames) {
    try {
      stream_.write_all(frames);
      counters_.wire_bytes.fetch_add(frames.size(), std::memory_order_relaxed);
    } catch (const Error&) {
      lost_ = true;
      stream_.stop_reading();
    }
  }

  Fifo& fifo_;
  BufferStock& stock_;
  Stream& stream_;
  PipelineCounters& counters_;
  bool lost_ = false;
};

}  // namespace adoc
