#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "destination/incoming_file.hpp"
#include "destination/incoming_part.hpp"
#include "util/errno_error.hpp"
#include "util/hash_file.hpp"

// What becomes of the pieces of a part.

namespace adoc {

namespace {

constexpr std::uint64_t kStartPartFlushBytes = 8 << 20;
constexpr std::size_t kPieceBufferBytes = 256 << 10;

/// What of a piece holds data, run by run.
template <typename Take>
void each_run(const Entry& entry, const Extent& piece, Take take) {
  if (!entry.data) return take(piece);
  const std::uint64_t piece_end = piece.offset + piece.length;
  for (const Extent& run : *entry.data) {
    const std::uint64_t begin = std::max(run.offset, piece.offset);
    const std::uint64_t end = std::min(run.offset + run.length, piece_end);
    if (begin < end) take(Extent{begin, end - begin});
  }
}

bool has_data(const Entry& entry, const Extent& piece) {
  bool any = false;
  each_run(entry, piece, [&](const Extent&) { any = true; });
  return any;
}

/// Whether the file has in these runs what was written.
bool holds(int file, const Entry& entry, const Extent& piece, const ContentHash& hash) {
  ContentHasher hasher;
  Bytes buffer(kPieceBufferBytes);
  bool is_there = true;
  each_run(entry, piece, [&](const Extent& run) {
    for (std::uint64_t at = 0; at < run.length && is_there;) {
      const auto wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(run.length - at, buffer.size()));
      const ssize_t got = ::pread(file, buffer.data(), wanted, static_cast<off_t>(run.offset + at));
      if (got < 0 && errno == EINTR) continue;
      is_there = got > 0;
      if (!is_there) break;
      hasher.update(ByteSpan(buffer).first(static_cast<std::size_t>(got)));
      at += static_cast<std::uint64_t>(got);
    }
  });
  return is_there && hasher.digest() == hash;
}

[[noreturn]] void throw_taken_over() {
  throw Error(ErrorKind::local_file, "another transfer of the same part of it has taken over");
}

}  // namespace

void IncomingPart::find_missing(const Entry& entry, const OutputTree& tree, bool resumes) {
  for (auto i = pieces_.next(0); i; i = pieces_.next(*i + 1)) {
    tree.go_on();
    const PieceRecord record = table_.record(*i);
    const Extent piece = pieces_.extent(*i);
    if (!has_data(entry, piece)) continue;
    if (resumes && record.has(PieceRecord::kCounted)) continue;
    if (resumes && record.has(PieceRecord::kWritten) &&
        holds(data_.get(), entry, piece, record.hash) && claim(*i, record))
      continue;
    missing_.push_back(*i);
  }
}

bool IncomingPart::claim(std::uint64_t index, const PieceRecord& seen) {
  const PieceTable::Lock lock(table_, true);
  expect_ours();
  PieceRecord record = table_.record(index);
  if (record.has(PieceRecord::kCounted)) return true;
  if (record.writer != seen.writer || record.hash != seen.hash) return false;
  record.writer = writer_;
  table_.set_record(index, record);
  return true;
}

Extents IncomingPart::missing(std::size_t limit) const {
  std::vector<Extent> runs;
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    const Extent piece = pieces_.extent(missing_[i]);
    const bool goes_on =
        i > 0 && (runs.size() == limit || pieces_.next(missing_[i - 1] + 1) == missing_[i]);
    if (goes_on)
      runs.back().length = piece.offset + piece.length - runs.back().offset;
    else
      runs.push_back(piece);
  }
  return runs;
}

void IncomingPart::expect_ours() const {
  if (table_.inode() != inode_)
    throw Error(ErrorKind::local_file,
                "others have sent it, or another state of it, meanwhile: the same command goes on");
}

void IncomingPart::begin_piece(std::uint64_t index) {
  const PieceTable::Lock lock(table_, true);
  expect_ours();
  const bool promised =
      (table_.record(index).flags & (PieceRecord::kPromised | PieceRecord::kCounted)) != 0;
  table_.set_record(index, {.writer = writer_, .flags = promised ? PieceRecord::kPromised : 0});
  piece_ = index;
  hasher_.emplace();
}

void IncomingPart::end_piece() {
  if (!piece_) return;
  const PieceTable::Lock lock(table_, true);
  expect_ours();
  PieceRecord record = table_.record(*piece_);
  if (record.writer != writer_) throw_taken_over();
  record.hash = hasher_->digest();
  record.flags |= PieceRecord::kWritten;
  table_.set_record(*piece_, record);
  piece_.reset();
  hasher_.reset();
}

void IncomingPart::write(std::uint64_t offset, ByteSpan bytes) {
  reopen();
  while (!bytes.empty()) {
    const std::uint64_t index = pieces_.piece_of(offset);
    const Extent piece = pieces_.extent(index);
    const auto length = static_cast<std::size_t>(
        std::min<std::uint64_t>(bytes.size(), piece.offset + piece.length - offset));
    if (piece_ != index) {
      end_piece();
      begin_piece(index);
    }
    {
      const PieceTable::Lock lock(table_, false);
      expect_ours();
      if (table_.record(index).writer != writer_) throw_taken_over();
      for (std::size_t done = 0; done < length;) {
        const ssize_t written = ::pwrite(data_.get(), bytes.data() + done, length - done,
                                         static_cast<off_t>(offset + done));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw errno_error(ErrorKind::local_file, "write it", errno);
        done += static_cast<std::size_t>(written);
      }
    }
    hasher_->update(bytes.first(length));
    offset += length;
    bytes = bytes.subspan(length);
  }
  end_ = std::max(end_, offset);
  if (end_ - unflushed_from_ >= kStartPartFlushBytes) start_flush();
}

void IncomingPart::start_flush() noexcept {
  if (end_ == unflushed_from_ || !is_open()) return;
  ::sync_file_range(data_.get(), static_cast<off_t>(unflushed_from_),
                    static_cast<off_t>(end_ - unflushed_from_), SYNC_FILE_RANGE_WRITE);
  unflushed_from_ = end_;
}

void IncomingPart::settle(const Entry& entry, const OutputTree& tree) {
  if (settled_) return;
  reopen();
  end_piece();
  flush(data_.get());
  {
    const PieceTable::Lock lock(table_, true);
    expect_ours();
    for (auto i = pieces_.next(0); i; i = pieces_.next(*i + 1)) {
      tree.go_on();
      PieceRecord record = table_.record(*i);
      if (record.has(PieceRecord::kCounted)) continue;
      const bool is_written = record.has(PieceRecord::kWritten) && record.writer == writer_;
      if (!is_written && has_data(entry, pieces_.extent(*i))) throw_taken_over();
      record.writer = writer_;
      record.flags = PieceRecord::kWritten | PieceRecord::kCounted;
      table_.set_record(*i, record);
    }
    table_.flush();
  }
  settled_ = true;
}

bool IncomingPart::all_are_there() const {
  bool all = true;
  for (std::uint64_t i = 0; i < pieces_.count(); ++i) {
    const PieceRecord record = table_.record(i);
    if (record.has(PieceRecord::kCounted)) continue;
    if (record.has(PieceRecord::kPromised))
      throw Error(ErrorKind::local_file,
                  "its source has changed since other parts of it were sent: this part is kept, "
                  "and the others are to be sent again");
    all = false;
  }
  return all;
}

IncomingPart::End IncomingPart::finish(const Entry& entry, OutputTree& tree, Existing existing) {
  // Then another transfer has given it its name, or begun another state of it.
  if (!try_reopen()) return End::waits;
  {
    const PieceTable::Lock lock(table_, true);
    if (table_.inode() != inode_ || !all_are_there()) return End::waits;
  }
  // It takes its time; and what is all there is not written to any more.
  expect_whole(entry, tree);
  const PieceTable::Lock lock(table_, true);
  if (table_.inode() != inode_ || !all_are_there()) return End::waits;
  return publish(entry, tree, existing);
}

void IncomingPart::expect_whole(const Entry& entry, const OutputTree& tree) {
  if (!entry.hash || hash_file(data_.get(), tree.stop()) == *entry.hash) return;
  const PieceTable::Lock lock(table_, true);
  if (table_.inode() == inode_)
    for (std::uint64_t i = 0; i < pieces_.count(); ++i)
      table_.set_record(i, {.flags = PieceRecord::kPromised});
  throw Error(ErrorKind::local_file,
              "put together it is not what the sender has: all parts of it are to be sent again");
}

IncomingPart::End IncomingPart::publish(const Entry& entry, OutputTree& tree, Existing existing) {
  if (::ftruncate(data_.get(), static_cast<off_t>(entry.size)) != 0)
    throw errno_error(ErrorKind::local_file, "set its size", errno);
  not_set_ =
      set_all_metadata(data_.get(), entry, {metadata_of(entry), tree.privileged_attributes()});
  flush(data_.get());
  const DirectoryPtr parent = tree.make_parent(entry.name);
  const std::string leaf(entry.name.leaf());
  tree.make_way(parent, leaf);
  AtomicFile file({place_, data_name_, std::move(data_)}, parent);
  bool is_published = false;
  try {
    is_published = file.publish(leaf, {existing, tree.stop()});
  } catch (...) {
    file.keep();
    throw;
  }
  file.discard();
  table_.set_header({.inode = 0, .source = SourceState::of(entry)});
  ::unlinkat(place_->get(), table_name_.c_str(), 0);
  tree.changed(entry.name.directory(), parent);
  return is_published ? End::published : End::kept;
}

}  // namespace adoc
