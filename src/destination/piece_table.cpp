#include "destination/piece_table.hpp"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "util/bytes.hpp"
#include "util/errno_error.hpp"
#include "wire/lossy_record.hpp"

namespace adoc {

namespace {

constexpr std::uint64_t kRecordsBegin = 4'096;
constexpr std::size_t kRecordBytes = 32;
constexpr std::size_t kLossyBytes = 10;
constexpr std::size_t kHeaderBytes = 8 + 8 + 8 + 8 + 4 + 8 + 4 + 1 + 16 + 1 + kLossyBytes;
constexpr std::size_t kTableCheckBytes = 4;

std::uint32_t table_check(ByteSpan bytes, std::uint64_t seed) noexcept {
  return static_cast<std::uint32_t>(xxh3_64(bytes, seed));
}

[[noreturn]] void fail_table(const char* action) {
  throw errno_error(ErrorKind::local_file, action, errno);
}

/// What is there of so many bytes.
Bytes read_table(int file, std::uint64_t offset, std::size_t count) {
  Bytes bytes(count);
  ssize_t got = -1;
  do got = ::pread(file, bytes.data(), count, static_cast<off_t>(offset));
  while (got < 0 && errno == EINTR);
  if (got < 0) fail_table("read which of its parts are there");
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

void write_table(int file, std::uint64_t offset, const Bytes& bytes) {
  ssize_t done = -1;
  do done = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  while (done < 0 && errno == EINTR);
  if (done != std::ssize(bytes)) {
    if (done >= 0) errno = ENOSPC;
    fail_table("note which of its parts are there");
  }
}

}  // namespace

SourceState SourceState::of(const Entry& entry) {
  return {.size = entry.size,
          .mtime_seconds = entry.mtime_seconds,
          .mtime_nanoseconds = entry.mtime_nanoseconds,
          .changed_seconds = entry.share->changed_seconds,
          .changed_nanoseconds = entry.share->changed_nanoseconds,
          .hash = entry.hash,
          .lossy = entry.lossy};
}

bool SourceState::is_same_source(const SourceState& other) const noexcept {
  if (std::tie(size, mtime_seconds, mtime_nanoseconds) !=
      std::tie(other.size, other.mtime_seconds, other.mtime_nanoseconds))
    return false;
  if (hash && other.hash && lossy == other.lossy) return hash == other.hash;
  return std::tie(changed_seconds, changed_nanoseconds) ==
         std::tie(other.changed_seconds, other.changed_nanoseconds);
}

bool SourceState::is_before(const SourceState& other) const noexcept {
  return std::tie(changed_seconds, changed_nanoseconds) <
         std::tie(other.changed_seconds, other.changed_nanoseconds);
}

PieceTable::Lock::Lock(const PieceTable& table, bool alone) : file_(table.file_.get()) {
  // A file system without locks has one receiver at a time.
  while (::flock(file_, alone ? LOCK_EX : LOCK_SH) != 0 && errno == EINTR) {
  }
}

PieceTable::Lock::~Lock() { ::flock(file_, LOCK_UN); }

std::optional<PieceTable::Header> PieceTable::header() const {
  const Bytes bytes = read_table(file_.get(), 0, kHeaderBytes + kTableCheckBytes);
  if (bytes.size() != kHeaderBytes + kTableCheckBytes) return std::nullopt;
  ByteReader in(bytes, "table of pieces");
  bool is_one = true;
  for (const std::uint8_t byte : kPieceTableMagic) is_one = in.u8() == byte && is_one;
  Header header;
  header.inode = in.u64();
  header.source.size = in.u64();
  header.source.mtime_seconds = static_cast<std::int64_t>(in.u64());
  header.source.mtime_nanoseconds = in.u32();
  header.source.changed_seconds = static_cast<std::int64_t>(in.u64());
  header.source.changed_nanoseconds = in.u32();
  const bool has_hash = in.u8() != 0;
  ContentHash hash{};
  std::ranges::copy(in.bytes(hash.size()), hash.begin());
  if (has_hash) header.source.hash = hash;
  const bool has_lossy = in.u8() != 0;
  const ByteSpan lossy = in.bytes(kLossyBytes);
  const bool is_right = in.u32() == table_check(ByteSpan(bytes).first(kHeaderBytes), 0);
  if (!is_one || !is_right) return std::nullopt;
  ByteReader record(lossy, "table of pieces");
  if (has_lossy) header.source.lossy = decode_lossy(record);
  return header;
}

void PieceTable::set_header(const Header& header) {
  Bytes bytes;
  ByteWriter out(bytes);
  for (const std::uint8_t byte : kPieceTableMagic) out.u8(byte);
  out.u64(header.inode);
  out.u64(header.source.size);
  out.u64(static_cast<std::uint64_t>(header.source.mtime_seconds));
  out.u32(header.source.mtime_nanoseconds);
  out.u64(static_cast<std::uint64_t>(header.source.changed_seconds));
  out.u32(header.source.changed_nanoseconds);
  out.u8(header.source.hash ? 1 : 0);
  out.bytes(header.source.hash.value_or(ContentHash{}));
  out.u8(header.source.lossy ? 1 : 0);
  if (header.source.lossy)
    encode_lossy(*header.source.lossy, out);
  else
    out.bytes(std::array<std::byte, kLossyBytes>{});
  out.u32(table_check(bytes, 0));
  write_table(file_.get(), 0, bytes);
}

std::uint64_t PieceTable::inode() const {
  const Bytes bytes = read_table(file_.get(), kPieceTableMagic.size(), 8);
  return bytes.size() == 8 ? ByteReader(bytes, "table of pieces").u64() : 0;
}

PieceRecord PieceTable::record(std::uint64_t index) const {
  const Bytes bytes = read_table(file_.get(), kRecordsBegin + index * kRecordBytes, kRecordBytes);
  if (bytes.size() != kRecordBytes) return {};
  ByteReader in(bytes, "table of pieces");
  PieceRecord record;
  std::ranges::copy(in.bytes(record.hash.size()), record.hash.begin());
  record.writer = in.u64();
  record.flags = in.u32();
  const auto checked = ByteSpan(bytes).first(kRecordBytes - kTableCheckBytes);
  return in.u32() == table_check(checked, index) ? record : PieceRecord{};
}

void PieceTable::set_record(std::uint64_t index, const PieceRecord& record) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.bytes(record.hash);
  out.u64(record.writer);
  out.u32(record.flags);
  out.u32(table_check(bytes, index));
  write_table(file_.get(), kRecordsBegin + index * kRecordBytes, bytes);
}

}  // namespace adoc
