#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "util/atomic_file.hpp"
#include "util/bytes.hpp"
#include "wire/entry.hpp"

namespace adoc {

// What has arrived of a file, kept beside its data so that a later transfer can go on:
//
//   journal = magic[8] version:u16 entry-bytes:u32 entry check:u32 record*
//   record  = offset:u64 length:u64 hash:u64 check:u32
//
// The entry (wire/entry.hpp, without its data runs and its metadata) tells of which source the data
// is. `hash` is the XXH3-64 of the bytes at `offset`; a `check` is the low half of the XXH3-64 of
// all that is before it, in its record or in the header. Records come in any order and may overlap;
// their length is at most that of a block.
//
// A record claims, and is believed only after its bytes were read and hashed. So nothing has to be
// flushed in any order, and a journal that was torn anywhere costs what its lost records said.

/// 1: the first. A journal of another version is of no use and is dropped with its data.
inline constexpr std::uint16_t kJournalVersion = 1;
inline constexpr std::array<std::uint8_t, 8> kJournalMagic{0x89, 'A',  'd',  'J',
                                                           'l',  '\r', '\n', 0x1a};
inline constexpr std::size_t kJournalRecordBytes = 28;

/// A run of a file's bytes that was written.
struct JournalRecord {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t hash = 0;

  bool operator==(const JournalRecord&) const = default;
};

/// Appends to a journal. What fails is the end of the journal and of nothing else: the file that it
/// is about can still be received. Used by one thread at a time.
class Journal {
 public:
  /// Where a journal lies.
  struct Place {
    DirectoryPtr directory;
    std::string name;
  };

  /// A new one, which appears with its first records.
  Journal(Place place, const Entry& source);
  /// Goes on at `end` of what JournalReader has read.
  Journal(Place place, Fd file, std::uint64_t end) noexcept;

  /// Written to the file now and then, so that a record costs next to nothing.
  void note(const JournalRecord& record);
  /// Hands what was noted to the system.
  void flush() noexcept;
  /// The same, and lets go of the descriptor until the next flush.
  void pause() noexcept;
  void remove() noexcept;

 private:
  void reopen() noexcept;

  Place place_;
  Fd file_;
  std::uint64_t end_ = 0;
  Bytes pending_;
  std::uint64_t pending_data_ = 0;  ///< bytes that the records in it are about
  bool made_ = false;               ///< the file is there
  bool broken_ = false;
};

/// Reads a journal from its beginning; what is not one reads as one without a source.
class JournalReader {
 public:
  /// `file` outlives the reader.
  explicit JournalReader(int file);

  /// Of what source the data is; none when the journal is of no use.
  [[nodiscard]] const std::optional<Entry>& source() const noexcept { return source_; }
  /// The next record that is whole; none at the end.
  [[nodiscard]] std::optional<JournalRecord> next();
  /// Where the records begin, and where the one that next() gave last lies.
  [[nodiscard]] std::uint64_t header_end() const noexcept { return header_end_; }
  [[nodiscard]] std::uint64_t record_offset() const noexcept { return record_offset_; }

 private:
  [[nodiscard]] bool fill(std::size_t count);
  void read_header();

  int file_;
  std::uint64_t read_offset_ = 0;  ///< of the file, behind the buffer
  Bytes buffer_;
  std::size_t used_ = 0;  ///< of the buffer
  std::optional<Entry> source_;
  std::uint64_t header_end_ = 0;
  std::uint64_t record_offset_ = 0;
};

/// A header and a record as they stand in the file.
[[nodiscard]] Bytes encode_journal_header(const Entry& source);
[[nodiscard]] Bytes encode_journal_record(const JournalRecord& record);

}  // namespace adoc
