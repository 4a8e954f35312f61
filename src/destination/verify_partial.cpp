#include "destination/verify_partial.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "adoc/error.hpp"
#include "util/checksum.hpp"
#include "wire/ranges.hpp"

namespace adoc {

namespace {

/// Runs are merged from time to time, so that a journal of any length takes little memory.
constexpr std::size_t kMergeAt = 4'096;

bool same_source(const Entry& entry, const Entry& source) noexcept {
  // A hash that was asked for and is not there cannot be compared: contents may have changed
  // without size and time, which is what it is asked for.
  const bool same_contents = !entry.hash || source.hash == entry.hash;
  return source.kind == EntryKind::file && source.name == entry.name && source.size == entry.size &&
         source.mtime_seconds == entry.mtime_seconds &&
         source.mtime_nanoseconds == entry.mtime_nanoseconds && source.lossy == entry.lossy &&
         same_contents;
}

/// Whether the bytes are what the record says; `buffer` is for them.
bool holds(int data, const JournalRecord& record, Bytes& buffer) {
  buffer.resize(static_cast<std::size_t>(record.length));
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got = ::pread(data, buffer.data() + filled, buffer.size() - filled,
                                static_cast<off_t>(record.offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    filled += static_cast<std::size_t>(got);
  }
  return xxh3_64(buffer) == record.hash;
}

bool rewrite(int journal, std::uint64_t offset, const JournalRecord& record) {
  const Bytes bytes = encode_journal_record(record);
  return ::pwrite(journal, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
         std::ssize(bytes);
}

}  // namespace

std::optional<VerifiedPartial> verify_partial(int data, int journal, const Entry& entry,
                                              const std::stop_token& stop) {
  JournalReader reader(journal);
  if (!reader.source() || !same_source(entry, *reader.source())) return std::nullopt;
  ::posix_fadvise(data, 0, 0, POSIX_FADV_SEQUENTIAL);
  VerifiedPartial verified{.present = {}, .journal_end = reader.header_end()};
  Bytes buffer;
  while (const auto record = reader.next()) {
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
    if (!holds(data, *record, buffer)) continue;
    // It moves to where one was that is of no use. Killed in between, this costs nothing: each
    // place holds one record or another.
    if (reader.record_offset() != verified.journal_end &&
        !rewrite(journal, verified.journal_end, *record))
      return std::nullopt;
    verified.journal_end += kJournalRecordBytes;
    verified.present.push_back({record->offset, record->length});
    if (verified.present.size() < kMergeAt) continue;
    verified.present = merged(std::move(verified.present));
    // More than can be told apart in a want. What the rest says is sent again.
    if (verified.present.size() > kMergeAt / 2) break;
  }
  verified.present = merged(std::move(verified.present));
  if (verified.present.empty() ||
      ::ftruncate(journal, static_cast<off_t>(verified.journal_end)) != 0)
    return std::nullopt;
  return verified;
}

}  // namespace adoc
