#pragma once

#include <atomic>
#include <optional>
#include <stop_token>

#include "adoc/observer.hpp"
#include "destination/batch_sink.hpp"
#include "io/stream.hpp"
#include "pipeline/block_assembler.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/frame_reader.hpp"
#include "pipeline/memory_shares.hpp"
#include "pipeline/receive_memory.hpp"
#include "transfer/lifeline.hpp"
#include "transfer/liveness.hpp"
#include "transfer/transfer_totals.hpp"
#include "util/guarded.hpp"
#include "wire/batch_window.hpp"
#include "wire/status.hpp"
#include "wire/streams.hpp"

namespace adoc {

/// What a receiver says first.
[[nodiscard]] Hello receiver_hello(const ReceiveOptions& options);

/// The receiver's side of one connection, from hello to end. The calling thread reads frames, one
/// answers offers, some decompress, one writes, one commits, one communicates.
class ReceiveSession {
 public:
  struct Prelude {
    ByteSpan heard;                   ///< from the sender, its hello first
    std::uint64_t dropped_bytes = 0;  ///< of keep-alives between
    ByteSpan unsaid;                  ///< what it is to hear first; it has had our hello
  };

  struct Setup {
    Stream& stream;
    DirectoryPtr destination;
    std::string out_directory;  ///< the path that it was opened by; empty: that is not looked at
    std::size_t fifo_packets;
    std::size_t threads;   ///< that decompress
    MemoryShares& memory;  ///< for them: work that earlier sessions left alone may have some of it
    std::chrono::milliseconds timeout;
    Hello hello;         ///< receiver_hello(), which it says unless that was said before
    bool resume;         ///< goes on with what earlier sessions left, if the sender does too
    bool metadata;       ///< takes owners and the like, if the sender has them
    Intake& intake;      ///< of this transfer alone
    Observer* observer;  ///< may be null
    LossyObserver* lossy_observer;  ///< may be null
    LossyTotals& lossy;
    Statistics& statistics;
    PipelineCounters& counters;
    TransferTotals& totals;
    /// That somebody waits for a turn; null: nobody ever does.
    const std::atomic<bool>* others_wait = nullptr;
    DescriptorBudget* descriptors = nullptr;  ///< for files; null: no limit
    /// What was said before by who let the sender in; null: nothing.
    const Prelude* prelude = nullptr;
    ErrorWords words{};  ///< ReceiveOptions::words
    /// What the stream lets join it, for a sender that wants that; absent: nothing.
    std::optional<StreamsOffer> streams{};
    /// What the stream gives was recorded for a receiver that wants everything
    /// (wire/recording.hpp), and does not wait for answers.
    bool recorded = false;
  };

  explicit ReceiveSession(const Setup& setup);

  /// Until everything is committed and the sender has been told. Throws the first failure of any
  /// thread, after telling the sender.
  void run(const std::stop_token& stop);

  /// After run() has thrown: the connection was lost, and the sender will come back.
  [[nodiscard]] bool expects_sender() const noexcept {
    // One that could have come back over another connection was waited for.
    return lost_ && sender_returns_ && !was_told_;
  }

 private:
  void say_hello();
  void read_or_drain();
  void read_frames();
  void drain();
  void begin_records();
  void make_room_for_records();
  void hear_arrived(std::uint64_t bytes);
  void hear_farewell();
  void take_offer(Offer offer);
  void note_still();
  [[nodiscard]] bool is_busy() const;
  void answer_offers();
  [[nodiscard]] IncomingBatchPtr answer(const Offer& offer, OutputTree& tree);
  void look_at_peer() const;
  [[noreturn]] void throw_gone() const;
  void say_status();
  void say_arrived();
  [[nodiscard]] std::uint64_t stalled_us(std::uint64_t interval_us);
  void decompress();
  void write();
  void commit_batches();
  void expect_destination() const;
  void tell_lossy(const Entry& entry, EntryOutcome outcome);
  void report(const IncomingBatch& batch, const Commit& commit);
  void end_all(const std::exception_ptr& failure) noexcept;
  void tell_peer(const std::exception_ptr& failure, const std::stop_token& stop) noexcept;

  Setup setup_;
  StoredQueue stored_;
  InboundQueue inbound_;
  BufferStock stock_{kMostRestingBytes};
  ReceiveMeter meter_;
  MatchWindow window_;
  MemoryShares::Share record_memory_;  ///< for what comes over several connections
  bool has_record_memory_ = false;
  // What is under way is bounded, so that there is room for all.
  BoundedQueue<Offer> offers_{kMaxBatchesInWideWindow};  ///< waiting for their answer
  IncomingQueue answered_{kMaxBatchesInWideWindow};      ///< waiting for their data
  IncomingQueue filled_{1};                              ///< waiting to be committed
  /// Of what was recorded: a token for each batch that is in flight.
  BoundedQueue<int> recorded_{kMaxBatchesInFlight};
  Fifo replies_{kMaxBatchesInFlight};
  PipelineCounters reply_counters_;
  FrameReader reader_;
  Liveness liveness_;
  bool peer_hears_status_ = false;
  bool peer_hears_arrivals_ = false;
  bool peer_hears_failures_ = false;
  bool sender_returns_ = false;
  bool rejoins_ = false;   ///< when all connections are lost, another one comes in their place
  bool was_told_ = false;  ///< what was read of what this side says
  std::uint64_t told_bytes_ = 0;  ///< of what was read, as it was said last
  bool sender_gave_up_ = false;
  bool said_hello_ = false;
  bool lost_ = false;
  std::int64_t status_at_ns_ = 0;
  std::chrono::nanoseconds waited_{0};  ///< to read, by then
  Status status_sums_;                  ///< what was said so far, added up
  std::int64_t arrived_at_ns_ = 0;      ///< when was said last what has arrived
  std::atomic<std::uint64_t> offered_batches_{0};
  std::atomic<std::uint64_t> answered_batches_{0};
  std::uint64_t done_batches_ = 0;
  /// So many batches are done when no more comes of what has no length: it may be silent for long.
  std::atomic<std::uint64_t> patient_until_done_{0};
  Clock::time_point moved_at_ = Clock::now();  ///< the latest sign of work on either side
  bool last_offered_ = false;
  // Offered and not committed: by their bytes, as soon as they come, and by their entries, once
  // these are known and answered.
  Guarded<BatchWindow> offers_in_flight_;
  Guarded<BatchWindow> entries_in_flight_;
  // Whether both sides do; known before any offer.
  std::atomic<bool> resume_{false};
  std::atomic<bool> metadata_{false};
  std::atomic<bool> shares_{false};
  std::stop_source unwanted_;  ///< answers: nobody is there any more to hear them
  std::stop_source failing_;
  SharesInOrder memory_{setup_.memory, failing_.get_token()};
  Lifeline lifeline_;
};

}  // namespace adoc
