#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transfer/decide.hpp"
#include "transfer/stream_layout.hpp"
#include "wire/block.hpp"
#include "wire/offer.hpp"
#include "wire/outcome.hpp"
#include "wire/want.hpp"

namespace adoc {

/// A batch on the receiving side, as it goes from thread to thread: answered by the one that reads
/// the connection, filled by the one that decompresses, committed by the third. Destroyed at any
/// point it leaves nothing behind but what is committed.
///
/// What fails for one entry is kept as that entry's failure; what throws, Error(corrupt), is the
/// peer's fault and ends the transfer.
class IncomingBatch {
 public:
  /// Decides what to take of the offer.
  IncomingBatch(const Offer& offer, OutputTree& tree);

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] bool last() const noexcept { return last_; }
  [[nodiscard]] Want want() const;
  [[nodiscard]] StreamSize wanted_size() const noexcept { return stream_size(pieces_); }

  // The next run of the stream: blocks and skips come in order and without gaps.
  void write(std::uint64_t offset, ByteSpan raw, OutputTree& tree);
  void skip(const Skip& skip);
  void done(const Done& done);

  /// Flushes and publishes what is whole. After done().
  [[nodiscard]] Commit commit(OutputTree& tree);

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  struct Slot {
    Plan plan = Plan::have;
    std::string failure;  ///< empty while it may still be committed
    std::optional<AtomicFile> file{};
  };

  void expect_position(std::uint64_t offset) const;
  /// Gives each piece that the next `length` bytes of the stream lie in its part of them.
  template <typename Take>
  void advance(std::uint64_t length, Take take);
  [[nodiscard]] AtomicFile& opened(std::size_t entry, OutputTree& tree);
  void fail(std::size_t entry, std::string reason);
  template <typename Step>
  void attempt(std::size_t entry, Step step);
  void complete(std::size_t entry, OutputTree& tree);
  [[nodiscard]] Fate publish(std::size_t entry, OutputTree& tree);

  std::uint64_t id_;
  bool last_;
  bool dry_run_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::vector<WantItem> wants_;
  std::vector<Piece> pieces_;
  std::size_t piece_ = 0;  ///< where the stream is
  std::uint64_t piece_position_ = 0;
  std::uint64_t position_ = 0;
};

using IncomingBatchPtr = std::unique_ptr<IncomingBatch>;

}  // namespace adoc
