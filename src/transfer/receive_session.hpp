#pragma once

#include <stop_token>

#include "adoc/observer.hpp"
#include "io/stream.hpp"
#include "pipeline/block_assembler.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/frame_reader.hpp"
#include "transfer/batch_sink.hpp"
#include "transfer/lifeline.hpp"
#include "transfer/liveness.hpp"
#include "transfer/transfer_totals.hpp"
#include "wire/status.hpp"

namespace adoc {

/// The receiver's side of one connection, from hello to end. The calling thread reads frames and
/// answers offers, some decompress, one writes, one commits, one communicates.
class ReceiveSession {
 public:
  struct Setup {
    Stream& stream;
    DirectoryPtr destination;
    std::size_t fifo_packets;
    std::size_t threads;  ///< that decompress
    std::chrono::milliseconds timeout;
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
  void say_status();
  void decompress();
  void write();
  void commit_batches();
  void report(const IncomingBatch& batch, const Commit& commit);
  void end_all(const std::exception_ptr& failure) noexcept;
  void tell_peer(const std::exception_ptr& failure) noexcept;

  Setup setup_;
  StoredQueue stored_;
  InboundQueue inbound_;
  BufferStock stock_;
  ReceiveMeter meter_;
  IncomingQueue answered_{kMaxBatchesInFlight};  ///< waiting for their data
  IncomingQueue filled_{1};                      ///< waiting to be committed
  Fifo replies_{kMaxBatchesInFlight};
  PipelineCounters reply_counters_;
  FrameReader reader_;
  Liveness liveness_;
  bool peer_hears_status_ = false;
  std::int64_t status_at_ns_ = 0;
  Status status_sums_;  ///< what was said so far, added up
  std::uint64_t offered_batches_ = 0;
  bool last_offered_ = false;
  Lifeline lifeline_;
};

}  // namespace adoc
