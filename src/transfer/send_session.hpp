#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>

#include "adoc/observer.hpp"
#include "adoc/options.hpp"
#include "io/stream.hpp"
#include "pipeline/compress_stage.hpp"
#include "pipeline/crossing.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/frame_reader.hpp"
#include "source/batch_source.hpp"
#include "source/outgoing_batch.hpp"
#include "source/walker.hpp"
#include "transfer/crossing_file.hpp"
#include "transfer/lifeline.hpp"
#include "transfer/liveness.hpp"
#include "transfer/offer_gate.hpp"
#include "transfer/transfer_totals.hpp"
#include "wire/arrived.hpp"
#include "wire/lossy_record.hpp"
#include "wire/outcome.hpp"
#include "wire/place.hpp"
#include "wire/status.hpp"
#include "wire/stream_layout.hpp"
#include "wire/streams.hpp"
#include "wire/want.hpp"

namespace adoc {

/// The sender's side of one connection, from hello to end. The calling thread walks the sources and
/// offers, one hears the receiver, some compress, one communicates.
class SendSession {
 public:
  struct Setup {
    const SendOptions& options;
    Walker& walker;
    Stream& stream;
    Observer* observer;             ///< may be null
    LossyObserver* lossy_observer;  ///< may be null
    LossyTotals& lossy;             ///< says what is to be lost, and is told what was
    Statistics& statistics;
    PipelineCounters& counters;
    TransferTotals& totals;
    /// Batches to offer before those that the walker finds: of earlier connections. What this one
    /// leaves is put in front.
    std::deque<OutgoingBatchPtr>& unsettled;
    std::optional<PathMetrics> path_metrics{};  ///< of this link
    /// What earlier connections came to, and when this one began.
    Observation before{};
    /// Told what was learned of it, at most once and before run() ends or throws, by any thread;
    /// when all goes well as soon as everything has left, while the other side is still at work.
    std::function<void(const PathMetrics&)> learned{};
    /// Told when the receiver lets further connections join, and for how long it waits for one that
    /// comes in the place of all that were lost, 0: for ever; by the thread that hears it. Empty:
    /// none are wanted.
    std::function<void(const StreamsOffer&, std::chrono::milliseconds)> may_join{};
    StandardInput* input = nullptr;  ///< null: it is not among the sources
    /// With `may_join` and `input`: when all connections are lost, another one joins.
    bool rejoins = false;
  };

  explicit SendSession(const Setup& setup);

  /// Until everything is answered for. Throws the first failure of any thread.
  void run(const std::stop_token& stop);
  /// What it came to, earlier connections included. After run(), also one that threw.
  [[nodiscard]] Observation observation() { return compress_stage_.observation(); }

  // After run() has thrown:

  /// Whether the connection was lost after the receiver had been heard, without a word of the
  /// receiver that it has given up: another one may go on.
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  /// Whether the receiver has said that it has given up.
  [[nodiscard]] bool receiver_gave_up() const noexcept { return receiver_gave_up_; }
  /// Whether the receiver has said that it serves others and lets nobody wait: lost() as well.
  [[nodiscard]] bool sent_away() const noexcept { return sent_away_ && !first_wanted_bytes_; }
  /// Whether something was sent that cannot be sent again: standard input.
  [[nodiscard]] bool lost_for_good() const noexcept;
  [[nodiscard]] std::uint64_t committed_batches() const noexcept { return committed_batches_; }
  /// Bytes that were wanted of the first batch, if that was said.
  [[nodiscard]] const std::optional<std::uint64_t>& first_wanted_bytes() const noexcept {
    return first_wanted_bytes_;
  }

 private:
  void keep_unsettled();
  void note_end(const std::exception_ptr& failure);
  void offer_batches();
  void wait_for_features();
  [[nodiscard]] OutgoingBatchPtr next_batch();
  void fill(OutgoingBatch& batch);
  [[nodiscard]] Offer make_offer(OutgoingBatch& batch) const;
  void compress();
  void tell_learned();
  void communicate();
  void hear();
  void hear_streams(const StreamsOffer& offer);
  void hear_arrived(const Arrived& arrived);
  void hear_end(const End& end);
  void say_heard();
  void hear_place(const QueuePlace& place);
  void hear_want(Want want);
  void hear_failed(const Failed& failed);
  void tell_broken_items(const OutgoingBatch& batch);
  void hear_commit(const Commit& commit);
  void hear_status(const Status& status);
  /// None: what our system knows, for a receiver that does not say it.
  void note_arrived(std::optional<std::uint64_t> bytes);
  /// By the thread that hears, as often as there is something to see.
  void tell_observation();
  void tell_lost(const OutgoingBatch& batch, std::size_t entry);
  void settle(const OutgoingBatch& batch, std::size_t entry, const Commit::Item& item);
  void end_all(const std::exception_ptr& failure) noexcept;

  Setup setup_;
  // Both say that the session has ended: one can be waited for, the other costs nothing to ask.
  Wakeup stopped_;
  std::stop_source ended_;
  Fifo fifo_;
  Crossing crossing_{setup_.counters, fifo_};
  CrossingFile crossing_file_;
  bool told_broken_items_ = false;
  bool told_text_ = false;
  BufferStock stock_;
  std::atomic<std::uint64_t> peer_features_{0};
  ReceiverBoard receiver_;
  BoundedQueue<int> greeted_{1};  ///< a token once the receiver's hello is here
  OfferGate window_;              ///< bounds what is under way, so the queues have room for all
  OutgoingQueue offered_{kMaxBatchesInWideWindow};  ///< waiting for their want
  OutgoingQueue wanted_{kMaxBatchesInWideWindow};   ///< waiting to be compressed
  OutgoingQueue sent_{kMaxBatchesInWideWindow};     ///< waiting for their commit
  Ladder ladder_;
  std::size_t threads_;  ///< that compress
  std::unique_ptr<Policy> policy_;
  std::optional<Lossy> lossy_;  ///< as this receiver knows it, once its hello is here
  BatchSource source_;
  CompressStage compress_stage_;
  FrameReader reader_;
  Liveness liveness_;
  std::deque<OutgoingBatchPtr> in_flight_;  ///< the offering thread's
  std::optional<std::uint64_t> first_wanted_bytes_;
  StreamSize wanted_size_{};          ///< of all batches so far
  std::uint64_t wanted_batches_ = 0;  ///< the same, in number
  bool heard_receiver_ = false;
  std::chrono::milliseconds peer_patience_{0};
  std::atomic<bool> rejoins_{false};  ///< setup_.rejoins, with this receiver
  std::uint64_t said_heard_ = 0;      ///< of what the receiver says
  bool receiver_gave_up_ = false;
  bool sent_away_ = false;
  bool lost_ = false;
  std::uint64_t committed_batches_ = 0;
  std::int64_t observed_at_ns_ = 0;
  bool last_committed_ = false;
  bool told_learned_ = false;
  Lifeline lifeline_;
};

}  // namespace adoc
