#pragma once

#include <atomic>
#include <stop_token>
#include <string>

#include "adoc/receive.hpp"
#include "destination/disk_room.hpp"
#include "io/stream.hpp"
#include "transfer/receive_session.hpp"
#include "transfer/transfer_totals.hpp"
#include "util/descriptor_budget.hpp"
#include "util/owner_names.hpp"

namespace adoc {

/// What one transfer's figures are read from at any time without a lock.
struct TransferFigures {
  PipelineCounters counters;
  TransferTotals totals;

  void reset() noexcept {
    counters.raw_bytes = 0;
    counters.wire_bytes = 0;
    totals.reset();
  }
};

/// Of a receiver that serves one transfer.
[[nodiscard]] Progress progress_of(const TransferFigures& figures) noexcept;

/// Removes what earlier transfers left unfinished and is too old to be gone on with, or all of it
/// where nothing is; tells of it.
void look_through_leftovers(const ReceiveOptions& options, const DirectoryPtr& destination,
                            ReceiveObserver* observer);

/// One connection with a sender, and what of this side it is about.
struct ServeSetup {
  const ReceiveOptions& options;
  const DirectoryPtr& destination;
  DiskRoom& room;
  DescriptorBudget& files;
  MemoryShares& memory;       ///< of one transfer: decompression_shares()
  const OwnerIds* owners;     ///< of this machine; null: none
  ReceiveObserver* observer;  ///< may be null
  TransferFigures& figures;
  std::uint64_t transfer = 1;
  Stream& stream;
  const ReceiveSession::Prelude* prelude = nullptr;
  const std::atomic<bool>* others_wait = nullptr;
  std::optional<StreamsOffer> streams{};  ///< what the stream lets join it
  bool recorded = false;                  ///< what the stream gives was recorded
};

/// How a connection ended.
struct Served {
  Verdict verdict;
  bool expects_sender = false;  ///< it was lost, and the sender will come back
};

/// Adds the figures of a connection that was lost to those of the one over which the same transfer
/// went on.
void add_to(Verdict& verdict, const Verdict& before);

/// From the hello to the end. Does not throw: what fails is told to the sender and is the verdict.
[[nodiscard]] Served serve_connection(const ServeSetup& setup, const std::stop_token& stop);

}  // namespace adoc
