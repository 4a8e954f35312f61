#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "util/atomic_file.hpp"
#include "util/checksum.hpp"
#include "util/fd.hpp"
#include "wire/entry.hpp"

namespace adoc {

// What has arrived of a file that several senders send, each its pieces (wire/share.hpp): beside
// the data, for all transfers that bring some of it, at once or one after the other.
//
//   table  = magic[8] inode:u64 size:u64 mtime:i64 mtime-ns:u32 changed:i64 changed-ns:u32
//            has-hash:u8 hash[16] has-lossy:u8 lossy[10] check:u32 zeros... record*
//            lossy as on the wire (wire/lossy_record.hpp), else zeros; the records from 4,096 on
//   record = hash[16] writer:u64 flags:u32 check:u32                one for each piece, by its
//   index
//
// `inode` is that of the data that the records are about, 0 when it has got its name. `hash` of a
// record is that of the piece's data runs, one behind the other (util/content_hasher.hpp). A check
// is the low half of the XXH3-64 of what is before it, seeded with the record's index. A record
// that was never written, or is damaged, says nothing.
//
// Whoever changes the table has its lock (flock) alone; whoever writes data shares it, so that
// nothing is written any more once a file has its name, or somebody else has begun the piece.

inline constexpr std::array<std::uint8_t, 8> kPieceTableMagic{0x89, 'A',  'd',  'P',
                                                              'c',  '\r', '\n', 0x1a};

/// Of which state of its source data is: pieces of two states never become one file.
struct SourceState {
  std::uint64_t size = 0;
  std::int64_t mtime_seconds = 0;
  std::uint32_t mtime_nanoseconds = 0;
  std::int64_t changed_seconds = 0;
  std::uint32_t changed_nanoseconds = 0;
  std::optional<ContentHash> hash{};
  std::optional<Lossy> lossy{};

  /// Of an entry that has a share.
  [[nodiscard]] static SourceState of(const Entry& entry);
  /// Size and time are the same, and the contents: by their hash where both have it and have lost
  /// the same, else because nothing about the source has changed. What was lost of them may differ.
  [[nodiscard]] bool is_same_source(const SourceState& other) const noexcept;
  [[nodiscard]] bool is_before(const SourceState& other) const noexcept;
};

struct PieceRecord {
  static constexpr std::uint32_t kWritten = 1;   ///< all of it, and this is its hash
  static constexpr std::uint32_t kCounted = 2;   ///< and is on the disk: its sender was told so
  static constexpr std::uint32_t kPromised = 4;  ///< was so, of another state of the source

  ContentHash hash{};
  std::uint64_t writer = 0;  ///< who began it last; nobody else may go on
  std::uint32_t flags = 0;

  [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (flags & flag) != 0; }
};

/// One such table. All members throw Error(local_file), in words that follow the file's name. Used
/// by one thread at a time.
class PieceTable {
 public:
  struct Header {
    std::uint64_t inode = 0;
    SourceState source{};
  };

  /// Of no file.
  PieceTable() = default;
  explicit PieceTable(Fd file) noexcept : file_(std::move(file)) {}

  [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(file_); }
  [[nodiscard]] const Fd& file() const noexcept { return file_; }

  /// Held for a few calls at most; blocks meanwhile.
  class Lock {
   public:
    Lock(const PieceTable& table, bool alone);
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock();

   private:
    int file_;
  };

  /// None when there is none, or it is damaged.
  [[nodiscard]] std::optional<Header> header() const;
  void set_header(const Header& header);
  /// The first thing in it, which says of what file the records are.
  [[nodiscard]] std::uint64_t inode() const;

  [[nodiscard]] PieceRecord record(std::uint64_t index) const;
  void set_record(std::uint64_t index, const PieceRecord& record);
  /// Returns once it is on the disk.
  void flush() { adoc::flush(file_.get()); }

 private:
  Fd file_;
};

}  // namespace adoc
