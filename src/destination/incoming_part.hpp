#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "destination/output_tree.hpp"
#include "destination/piece_table.hpp"
#include "util/content_hasher.hpp"
#include "wire/share.hpp"

namespace adoc {

/// One sender's part of a file that several send (wire/share.hpp), while it is received. The parts
/// of all lie in one file, with a table of its pieces beside it (piece_table.hpp), until the last
/// one is there, whichever transfer brings it. Destroyed at any point it leaves the pieces that are
/// whole. All members throw Error(local_file), in words that follow the file's name. Used by one
/// thread at a time.
class IncomingPart {
 public:
  /// Goes on with what is there of this part, or begins. What is there of another state of the
  /// source is dropped if that is an older one, and counts as missing until it is sent again. Reads
  /// pieces that were written and not yet counted; throws Error(interrupted) soon after a stop
  /// request to the tree. Without `resumes` all of the part is to be sent again, and is
  /// dropped where it does not come to its end.
  [[nodiscard]] static IncomingPart open(const Entry& entry, OutputTree& tree, bool resumes);
  IncomingPart(IncomingPart&&) noexcept = default;
  IncomingPart& operator=(IncomingPart&&) = delete;
  ~IncomingPart();

  /// Runs that hold all pieces of the part that are missing, and none of the part that are there
  /// unless there would be more than `limit` runs.
  [[nodiscard]] Extents missing(std::size_t limit) const;

  /// Bytes of the part, piece by piece in order. Fails when another transfer has begun the piece
  /// since.
  void write(std::uint64_t offset, ByteSpan bytes);
  void start_flush() noexcept;
  /// After the last byte: all of the part is on the disk and counts, whatever comes of the others,
  /// once place() and what it lies in are flushed, too.
  void settle(const Entry& entry, const OutputTree& tree);

  /// After settle(): gives the file its name if all parts are there.
  enum class End { waits, published, kept };
  [[nodiscard]] End finish(const Entry& entry, OutputTree& tree, Existing existing);
  /// Of what was published: what of its metadata could not be set, or nothing.
  [[nodiscard]] const std::string& not_set() const noexcept { return not_set_; }

  [[nodiscard]] const DirectoryPtr& place() const noexcept { return place_; }

  /// What of it does not count yet is of no use.
  void drop() noexcept;

  // Descriptors, while others need them.
  [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(data_); }
  void close() noexcept;
  /// Nothing for one that is open.
  void reopen();

 private:
  IncomingPart() = default;
  void join(const Entry& entry);
  [[nodiscard]] bool join_now(const Entry& entry);
  [[nodiscard]] Fd open_data() const;
  [[nodiscard]] bool take_presence() const noexcept;
  void begin_anew(const Entry& entry, const std::optional<PieceTable::Header>& old);
  void keep_promises(const SourceState& old, const SourceState& now, bool counted);
  void find_missing(const Entry& entry, const OutputTree& tree, bool resumes);
  [[nodiscard]] bool claim(std::uint64_t index, const PieceRecord& seen);
  [[nodiscard]] bool try_reopen();
  void expect_ours() const;
  void begin_piece(std::uint64_t index);
  void end_piece();
  [[nodiscard]] bool all_are_there() const;
  void expect_whole(const Entry& entry, const OutputTree& tree);
  [[nodiscard]] End publish(const Entry& entry, OutputTree& tree, Existing existing);
  /// Removes the files if nothing is in them and nobody else is at work on them.
  void tidy() noexcept;

  DirectoryPtr place_;
  std::string data_name_;
  std::string table_name_;
  Fd data_;
  PieceTable table_;
  std::uint64_t inode_ = 0;   ///< of the data
  std::uint64_t writer_ = 0;  ///< ours
  SharePieces pieces_;
  std::vector<std::uint64_t> missing_;     ///< of our pieces, when it was opened; ascending
  std::optional<std::uint64_t> piece_{};   ///< that is being written
  std::optional<ContentHasher> hasher_{};  ///< of what was written of it
  std::uint64_t unflushed_from_ = 0;
  std::uint64_t end_ = 0;
  bool resumes_ = true;
  bool settled_ = false;
  std::string not_set_;
};

}  // namespace adoc
