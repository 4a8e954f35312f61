#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "destination/journal.hpp"
#include "destination/output_tree.hpp"

namespace adoc {

/// Smaller files are sent again: to look after them costs more than they do.
inline constexpr std::uint64_t kResumableBytes = 256 << 10;

/// Whether a transfer that is cut off leaves what it has of this file.
[[nodiscard]] inline bool may_be_resumed(const Entry& entry) noexcept {
  return entry.size >= kResumableBytes && entry.size != kUnknownSize;
}

/// What the entry says of the file that it becomes.
[[nodiscard]] FileMetadata metadata_of(const Entry& entry) noexcept;

/// A file while it is received. One that can be gone on with stays where it is, with its journal,
/// when this is destroyed before it was published or discarded; any other is removed then. All
/// members throw Error(local_file), in words that follow the file's name. Used by one thread at a
/// time.
class IncomingFile {
 public:
  /// `resumable`: that a later transfer is to go on with it, where that is possible.
  [[nodiscard]] static IncomingFile create(const Entry& entry, OutputTree& tree, bool resumable);
  /// What an earlier transfer left of the entry, read and checked; none if there is nothing of use,
  /// which is removed then, or somebody is at work on it. Throws Error(interrupted) soon after a
  /// stop request to the tree.
  [[nodiscard]] static std::optional<IncomingFile> resume(const Entry& entry, OutputTree& tree);
  IncomingFile(IncomingFile&& other) noexcept = default;
  IncomingFile& operator=(IncomingFile&& other) noexcept = default;
  ~IncomingFile();

  /// What was there already: ascending, neither touching nor overlapping. Not kept beyond that.
  [[nodiscard]] std::vector<Extent> take_present() noexcept { return std::exchange(present_, {}); }

  /// `hash` is the XXH3-64 of the bytes if that is known.
  void write(std::uint64_t offset, ByteSpan bytes, std::optional<std::uint64_t> hash);
  /// Nothing more comes: lets go of what only writing needs.
  void end_writing() noexcept;
  /// After the last byte: gives it its size, mode and time. With `whole` it is compared with that
  /// first, by reading it; throws Error(interrupted) soon after a stop request. Gives what of its
  /// metadata could not be set, in words that follow its name, or nothing.
  [[nodiscard]] std::string complete(const Entry& entry, const std::optional<ContentHash>& whole,
                                     const OutputTree& tree);
  void start_flush() noexcept {
    if (is_open()) file_.start_flush();
  }
  void flush() {
    if (is_open()) file_.flush();
  }
  /// After complete(): flushes it and keeps no descriptor for it. It cannot be gone on with then,
  /// and directory() is null.
  void set_aside();
  /// One that goes on with what was there is checked as a whole first, with what is said at the
  /// end.
  [[nodiscard]] bool can_be_set_aside() const noexcept {
    return is_open() && !resumed_ && file_.lies_elsewhere();
  }
  [[nodiscard]] bool is_open() const noexcept { return file_.is_open(); }
  /// Before publish(): where it belongs, if it was set aside.
  void return_to(const DirectoryPtr& directory) { file_.return_to(directory); }
  /// Gives it its name; false if something has that which is to be kept.
  [[nodiscard]] bool publish(const Entry& entry, const Publishing& how);
  /// Removes it, whatever it holds.
  void discard() noexcept;

  [[nodiscard]] std::pair<dev_t, ino_t> published_as() const noexcept {
    return file_.published_as();
  }
  [[nodiscard]] const DirectoryPtr& directory() const noexcept { return file_.directory(); }

 private:
  explicit IncomingFile(AtomicFile file) noexcept : file_(std::move(file)) {}

  AtomicFile file_;
  std::unique_ptr<Journal> journal_;  ///< of one that can be gone on with
  std::vector<Extent> present_;
  bool resumed_ = false;  ///< something was
};

}  // namespace adoc
