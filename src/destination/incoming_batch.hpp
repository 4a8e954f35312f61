#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "destination/decide.hpp"
#include "destination/incoming_file.hpp"
#include "destination/incoming_part.hpp"
#include "destination/intake.hpp"
#include "pipeline/write_stage.hpp"
#include "util/descriptor_budget.hpp"
#include "wire/block.hpp"
#include "wire/offer.hpp"
#include "wire/outcome.hpp"
#include "wire/stream_layout.hpp"
#include "wire/want.hpp"

namespace adoc {

/// A batch on the receiving side, as it goes from thread to thread: answered by the first, filled
/// by the one that writes, committed by the third. Destroyed at any point it leaves nothing behind
/// but what is committed, and of large files what a later transfer goes on with.
///
/// What fails for one entry is kept as that entry's failure; what throws, Error(corrupt), is the
/// peer's fault and ends the transfer.
class IncomingBatch {
 public:
  struct Setup {
    OutputTree& tree;
    Intake& intake;      ///< outlives the batch
    bool resume = true;  ///< else what is left of files is removed, and nothing is left for later
    /// For files beyond the one that each batch may have open; outlives the batch. Null: no limit.
    DescriptorBudget* descriptors = nullptr;
    bool metadata = true;  ///< both sides have Feature::metadata
    bool shares = true;    ///< and Feature::shares
  };

  /// Decides what to take of the offer. What was left of an earlier transfer is read, which takes
  /// its time; throws Error(interrupted) soon after a stop request to the tree.
  IncomingBatch(const Offer& offer, const Setup& setup);
  IncomingBatch(const IncomingBatch&) = delete;  // the layout refers to what is in here
  IncomingBatch& operator=(const IncomingBatch&) = delete;

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] bool last() const noexcept { return last_; }
  [[nodiscard]] Want want() const;
  [[nodiscard]] StreamSize wanted_size() const noexcept { return stream_size(layout_); }
  /// Bytes of what is taken that are here already.
  [[nodiscard]] std::uint64_t resumed_bytes() const;

  /// Keeps for commit() what directories were lent while the batch was written.
  void take_lent(OutputTree& tree) { lent_.add(std::move(tree.lent())); }

  // The next run of the stream: blocks and skips come in order and without gaps.
  /// Gives the entry that the last byte of the block is of.
  std::size_t write(const ArrivedBlock& block, OutputTree& tree);
  /// Whether an entry has failed of which more contents are to come.
  [[nodiscard]] bool failed_early(std::size_t entry) const noexcept {
    return !slots_[entry].failure.empty() && !slots_[entry].written;
  }
  void skip(const Skip& skip);
  void done(const Done& done);

  /// Flushes and publishes what is whole. After done(). Throws Error(interrupted) soon after a stop
  /// request to the tree, but for the one flush that the system is at; what is not published by
  /// then is not.
  [[nodiscard]] Commit commit(OutputTree& tree);

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] const std::vector<WantItem>& wants() const noexcept { return wants_; }

 private:
  struct Slot {
    Action action = Action::have;
    std::string failure;                 ///< empty while it may still be committed
    std::string not_set{};               ///< what of its metadata could not be set
    FileState seen{};                    ///< of what is there already (decide.hpp)
    std::optional<ContentHash> whole{};  ///< what a file is to be that was wanted in part
    std::optional<IncomingFile> file{};
    std::unique_ptr<IncomingPart> part{};  ///< in the place of the file, which most entries have
    Fd updated{};  ///< the file whose mode and time were set, until that is on the disk
    DescriptorBudget::Permit permit{};
    bool written = false;   ///< all that comes of it has come
    bool complete = false;  ///< and it has its size
  };

  [[nodiscard]] WantItem want_item(std::size_t entry, const Setup& setup);
  /// What to say of an entry that has failed.
  [[nodiscard]] WantItem refusal(std::size_t entry);
  /// The ranges to ask for of a file that is not there under its name.
  [[nodiscard]] Extents missing_ranges(std::size_t entry, const Setup& setup);

  // Of an entry that has a share:
  [[nodiscard]] Extents missing_pieces(std::size_t entry, const Setup& setup);
  [[nodiscard]] IncomingPart& opened_part(std::size_t entry, OutputTree& tree);
  void settle_part(std::size_t entry, const OutputTree& tree);
  /// The names of all parts, once for a batch.
  void flush_parts(const OutputTree& tree);
  [[nodiscard]] Fate publish_part(std::size_t entry, OutputTree& tree);

  /// Whether a part of the file was here when it was wanted.
  [[nodiscard]] bool in_part(std::size_t entry) const {
    return wanted_in_part(entries_[entry], wants_[entry]);
  }
  void expect_position(std::uint64_t offset) const;
  /// Gives each piece that the next `length` bytes of the stream lie in its part of them.
  template <typename Take>
  void advance(std::uint64_t length, Take take);
  void end_writing(std::size_t entry) noexcept;
  [[nodiscard]] IncomingFile& opened(std::size_t entry, OutputTree& tree);
  void take_permit(std::size_t entry, std::size_t descriptors, OutputTree& tree);
  /// Flushes and closes what is written.
  void set_files_aside(OutputTree& tree);
  void complete(std::size_t entry, OutputTree& tree);
  void keep_for_flush(Slot& slot);
  void fail(std::size_t entry, std::string reason);
  template <typename Step>
  void attempt(std::size_t entry, Step step);
  [[nodiscard]] Fate publish(std::size_t entry, OutputTree& tree);
  [[nodiscard]] Fate publish_own(std::size_t entry, OutputTree& tree);
  /// Whether both names are one file's already.
  [[nodiscard]] bool is_linked(const Entry& listed, OutputTree& tree) const;
  [[nodiscard]] Fate publish_link(const Entry& listed, const DirectoryPtr& parent,
                                  OutputTree& tree);
  [[nodiscard]] Fate publish_directory(std::size_t entry, OutputTree& tree);
  /// Keeps the file in mind if it is to get other names.
  void note_linked(std::size_t entry, OutputTree& tree) const;
  /// Flushes what publish() has changed; what cannot be is not committed.
  void flush_names(const Commit& commit, OutputTree& tree);

  /// What a directory's metadata are to be, whose mode is now this.
  [[nodiscard]] FileMetadata directory_metadata(const Entry& listed, std::uint32_t mode) const;

  Intake& intake_;
  DiskRoom::Claim claim_;
  std::uint64_t id_;
  bool last_;
  bool dry_run_;
  Existing existing_;  ///< what becomes of a file or link whose name an entry has
  bool force_;         ///< a directory gives way to a file or link, and the reverse
  bool keeps_partials_;
  LentPermissions lent_;
  DescriptorBudget* descriptors_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::vector<WantItem> wants_;
  StreamLayout layout_;  ///< where the stream is
  std::uint64_t piece_position_ = 0;
  std::uint64_t position_ = 0;
};

using IncomingBatchPtr = std::unique_ptr<IncomingBatch>;

}  // namespace adoc
