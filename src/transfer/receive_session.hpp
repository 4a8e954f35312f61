#pragma once

#include <stop_token>

#include "adoc/observer.hpp"
#include "io/stream.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/frame_reader.hpp"
#include "transfer/batch_sink.hpp"
#include "transfer/lifeline.hpp"
#include "transfer/transfer_totals.hpp"

namespace adoc {

/// The receiver's side of one connection, from hello to end. Four threads: the calling one reads
/// frames and answers offers, one decompresses and writes, one commits, one communicates.
class ReceiveSession {
 public:
  struct Setup {
    Stream& stream;
    DirectoryPtr destination;
    std::size_t fifo_packets;
    Observer* observer;  ///< may be null
    Statistics& statistics;
    PipelineCounters& counters;
    TransferTotals& totals;
  };

  explicit ReceiveSession(const Setup& setup);

  /// Until everything is committed and the sender has been told. Throws the first failure of any
  /// thread, after telling the sender.
  void run(const std::stop_token& stop);

 private:
  void read_frames();
  void answer(const Offer& offer);
  void decompress();
  void commit_batches();
  void report(const IncomingBatch& batch, const Commit& commit);
  void end_all(const std::exception_ptr& failure) noexcept;
  void tell_peer(const std::exception_ptr& failure) noexcept;

  Setup setup_;
  InboundQueue inbound_;
  BufferStock inbound_stock_;
  IncomingQueue answered_{kMaxBatchesInFlight};  ///< waiting for their data
  IncomingQueue filled_{1};                      ///< waiting to be committed
  Fifo replies_{kMaxBatchesInFlight};
  BufferStock reply_stock_{0};
  PipelineCounters reply_counters_;
  FrameReader reader_;
  std::uint64_t offered_batches_ = 0;
  bool last_offered_ = false;
  Lifeline lifeline_;
};

}  // namespace adoc
