#include "destination/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "adoc/error.hpp"
#include "util/checksum.hpp"
#include "wire/protocol.hpp"

namespace adoc {

namespace {

/// So much data may be forgotten when the process is killed; less would cost more system calls.
constexpr std::uint64_t kFlushDataBytes = 1 << 20;
constexpr std::size_t kFlushBytes = 4 << 10;

constexpr std::size_t kBufferBytes = 64 << 10;
constexpr std::size_t kFixedHeaderBytes = kJournalMagic.size() + 2 + 4;
constexpr std::size_t kMaxEntryBytes = 8 << 10;

std::uint32_t check_of(ByteSpan bytes) noexcept {
  return static_cast<std::uint32_t>(xxh3_64(bytes));
}

bool write_at(int file, std::uint64_t offset, ByteSpan bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Bytes encode_journal_header(const Entry& source) {
  Entry entry = source;
  entry.data.reset();
  entry.metadata.reset();
  Bytes encoded;
  ByteWriter entry_out(encoded);
  entry.encode(entry_out);
  Bytes header;
  ByteWriter out(header);
  for (const std::uint8_t byte : kJournalMagic) out.u8(byte);
  out.u16(kJournalVersion);
  out.u32(static_cast<std::uint32_t>(encoded.size()));
  out.bytes(encoded);
  out.u32(check_of(header));
  return header;
}

Bytes encode_journal_record(const JournalRecord& record) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.u64(record.offset);
  out.u64(record.length);
  out.u64(record.hash);
  out.u32(check_of(bytes));
  return bytes;
}

Journal::Journal(Place place, const Entry& source)
    : place_(std::move(place)), pending_(encode_journal_header(source)) {}

Journal::Journal(Place place, Fd file, std::uint64_t end) noexcept
    : place_(std::move(place)), file_(std::move(file)), end_(end), made_(true) {}

void Journal::note(const JournalRecord& record) {
  if (broken_) return;
  const Bytes encoded = encode_journal_record(record);
  pending_.insert(pending_.end(), encoded.begin(), encoded.end());
  pending_data_ += record.length;
  if (pending_data_ >= kFlushDataBytes || pending_.size() >= kFlushBytes) flush();
}

void Journal::flush() noexcept {
  if (broken_ || pending_data_ == 0) return;
  if (!file_) reopen();
  // After a part of it was written the next record would not begin where one begins.
  broken_ = !file_ || !write_at(file_.get(), end_, pending_);
  end_ += pending_.size();
  pending_.clear();
  pending_data_ = 0;
}

void Journal::reopen() noexcept {
  const int make = made_ ? 0 : O_CREAT | O_TRUNC;
  file_ = Fd(::openat(place_.directory->get(), place_.name.c_str(),
                      O_RDWR | O_NOFOLLOW | O_CLOEXEC | make, 0600));
  made_ = made_ || file_;
}

void Journal::pause() noexcept {
  flush();
  // Most wait for long, and many do.
  if (pending_.empty()) pending_ = {};
  file_.reset();
}

void Journal::remove() noexcept {
  if (made_) ::unlinkat(place_.directory->get(), place_.name.c_str(), 0);
  made_ = false;
  broken_ = true;
  file_.reset();
}

JournalReader::JournalReader(int file) : file_(file) { read_header(); }

bool JournalReader::fill(std::size_t count) {
  if (buffer_.size() - used_ >= count) return true;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
  used_ = 0;
  while (buffer_.size() < count) {
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kBufferBytes);
    const ssize_t got =
        ::pread(file_, buffer_.data() + before, kBufferBytes, static_cast<off_t>(read_offset_));
    const bool again = got < 0 && errno == EINTR;
    buffer_.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got <= 0 && !again) return false;
    if (got > 0) read_offset_ += static_cast<std::uint64_t>(got);
  }
  return true;
}

void JournalReader::read_header() {
  if (!fill(kFixedHeaderBytes)) return;
  try {
    ByteReader fixed(ByteSpan(buffer_).first(kFixedHeaderBytes), "journal");
    for (const std::uint8_t byte : kJournalMagic)
      if (fixed.u8() != byte) return;
    if (fixed.u16() != kJournalVersion) return;
    const std::size_t entry_bytes = fixed.u32();
    if (entry_bytes > kMaxEntryBytes || !fill(kFixedHeaderBytes + entry_bytes + 4)) return;
    const ByteSpan checked = ByteSpan(buffer_).first(kFixedHeaderBytes + entry_bytes);
    ByteReader check(ByteSpan(buffer_).subspan(checked.size(), 4), "journal");
    if (check.u32() != check_of(checked)) return;
    ByteReader in(checked.subspan(kFixedHeaderBytes), "journal");
    Entry entry = Entry::decode(in);
    in.expect_end();
    header_end_ = used_ = checked.size() + 4;
    source_ = std::move(entry);
  } catch (const Error&) {
    // It was written by something else, or damaged in a way that its check does not show.
  }
}

std::optional<JournalRecord> JournalReader::next() {
  while (source_ && fill(kJournalRecordBytes)) {
    const ByteSpan bytes = ByteSpan(buffer_).subspan(used_, kJournalRecordBytes);
    record_offset_ = read_offset_ - (buffer_.size() - used_);
    used_ += kJournalRecordBytes;
    ByteReader in(bytes, "journal");
    const JournalRecord record{in.u64(), in.u64(), in.u64()};
    if (in.u32() != check_of(bytes.first(kJournalRecordBytes - 4))) continue;
    const bool inside = record.length != 0 && record.length <= kMaxRawBlockBytes &&
                        record.length <= source_->size &&
                        record.offset <= source_->size - record.length;
    if (inside) return record;
  }
  return std::nullopt;
}

}  // namespace adoc
