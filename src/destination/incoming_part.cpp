#include "destination/incoming_part.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "destination/own_directory.hpp"
#include "destination/partial_store.hpp"
#include "util/errno_error.hpp"
#include "util/own_permissions.hpp"

// How the parts of a file find each other. What comes of them is in incoming_part_pieces.cpp.

namespace adoc {

namespace {

constexpr int kPartFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

/// Whoever removes what is old does so between any two steps; not for ever.
constexpr int kJoinAttempts = 200;
constexpr std::chrono::milliseconds kJoinPause{20};

[[noreturn]] void fail_part(const char* action) {
  throw errno_error(ErrorKind::local_file, action, errno);
}

std::string loss(const SourceState& state) {
  if (!state.lossy) return "not lossy";
  return "lossy " + to_string(*state.lossy) + " of " + name_of(state.lossy->type);
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) != sizeof(number)) fail_part("get a random number");
  return number;
}

/// Of a regular file that this name still means; 0 of any other.
std::uint64_t inode_of(const DirectoryPtr& place, const std::string& name, const Fd& file) {
  struct stat opened {};
  struct stat named {};
  const bool is_named = ::fstat(file.get(), &opened) == 0 && S_ISREG(opened.st_mode) &&
                        opened.st_nlink == 1 &&
                        ::fstatat(place->get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                        named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
  return is_named ? opened.st_ino : 0;
}

}  // namespace

IncomingPart IncomingPart::open(const Entry& entry, OutputTree& tree, bool resumes) {
  IncomingPart part;
  part.place_ = tree.partials().place_for(tree.make_parent(entry.name));
  part.data_name_ = kept_name(entry) + std::string(kSharedSuffix);
  part.table_name_ = kept_name(entry) + std::string(kPiecesSuffix);
  part.pieces_ = entry.pieces();
  part.writer_ = random_number();
  part.resumes_ = resumes;
  for (int attempt = 0; !part.join_now(entry); ++attempt) {
    if (attempt == kJoinAttempts)
      throw Error(ErrorKind::local_file, "what is there of it comes and goes");
    tree.go_on();
    std::this_thread::sleep_for(kJoinPause);
  }
  part.find_missing(entry, tree, resumes);
  return part;
}

IncomingPart::~IncomingPart() {
  if (!settled_ && !resumes_) drop();
  tidy();
}

bool IncomingPart::join_now(const Entry& entry) {
  data_.reset();
  Fd file(::openat(place_->get(), table_name_.c_str(), kPartFlags | O_CREAT, 0600));
  if (!file) fail_part("open which of its parts are there");
  table_ = PieceTable(std::move(file));
  const PieceTable::Lock lock(table_, true);
  if (inode_of(place_, table_name_, table_.file()) == 0) return false;
  data_ = open_data();
  if (data_ && !take_presence()) return false;
  const auto there = table_.header();
  const SourceState source = SourceState::of(entry);
  inode_ = data_ ? inode_of(place_, data_name_, data_) : 0;
  const bool is_whole = data_ && there && inode_ != 0 && there->inode == inode_;
  const bool is_same = is_whole && there->source.is_same_source(source);
  if (is_same && there->source.lossy == source.lossy) return true;
  if (is_same)
    throw Error(ErrorKind::local_file, "others send it " + loss(there->source) + ", and this is " +
                                           loss(source) +
                                           ": all shards are to lose the same (of a source that "
                                           "was touched, all begin anew)");
  if (is_whole && source.is_before(there->source))
    throw Error(ErrorKind::local_file,
                "others send a later state of it: the same command sends that");
  begin_anew(entry, there);
  return true;
}

Fd IncomingPart::open_data() const {
  Fd file(::openat(place_->get(), data_name_.c_str(), kPartFlags));
  // Killed at its end it has the mode that it was to have.
  if (!file && errno == EACCES && permit_owner(place_->get(), data_name_, S_IRUSR | S_IWUSR))
    file = Fd(::openat(place_->get(), data_name_.c_str(), kPartFlags));
  if (!file && errno != ENOENT) fail_part("open what is there of it");
  return file;
}

bool IncomingPart::take_presence() const noexcept {
  return ::flock(data_.get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

// The old file stays that of whoever is still writing in it.
void IncomingPart::begin_anew(const Entry& entry, const std::optional<PieceTable::Header>& old) {
  const SourceState source = SourceState::of(entry);
  if (old) keep_promises(old->source, source, static_cast<bool>(data_));
  ::unlinkat(place_->get(), data_name_.c_str(), 0);
  data_ = Fd(::openat(place_->get(), data_name_.c_str(), kPartFlags | O_CREAT | O_EXCL, 0600));
  if (!data_) fail_part("make a file for what several send of it");
  if (!take_presence() || ::ftruncate(data_.get(), static_cast<off_t>(entry.size)) != 0)
    fail_part("set its size");
  inode_ = inode_of(place_, data_name_, data_);
  table_.set_header({.inode = inode_, .source = source});
}

// What a sender was told to be on the disk it does not send again by itself. So the others are not
// told that all is well before it has.
void IncomingPart::keep_promises(const SourceState& old, const SourceState& now, bool counted) {
  const std::uint64_t count = SharePieces({}, {}, now.size).count();
  const bool other_pieces = piece_bytes(old.size) != piece_bytes(now.size);
  const PieceRecord promised{.flags = PieceRecord::kPromised};
  bool beyond = false;
  for (std::uint64_t i = 0; i < SharePieces({}, {}, old.size).count(); ++i) {
    const PieceRecord record = table_.record(i);
    if (record.flags == 0 && record.writer == 0) continue;
    const bool is_promised =
        record.has(PieceRecord::kPromised) || (counted && record.has(PieceRecord::kCounted));
    beyond = beyond || (is_promised && (i >= count || other_pieces));
    table_.set_record(i, is_promised ? promised : PieceRecord{});
  }
  if (!beyond) return;
  for (std::uint64_t i = other_pieces ? 0 : count - 1; i < count; ++i)
    table_.set_record(i, promised);
}

void IncomingPart::close() noexcept {
  data_.reset();
  table_ = PieceTable();
}

bool IncomingPart::try_reopen() {
  if (is_open()) return true;
  Fd file(::openat(place_->get(), table_name_.c_str(), kPartFlags));
  if (!file && errno != ENOENT) fail_part("open which of its parts are there");
  Fd data = open_data();
  if (!file || !data || inode_of(place_, data_name_, data) != inode_) return false;
  table_ = PieceTable(std::move(file));
  data_ = std::move(data);
  if (take_presence()) return true;
  close();
  return false;
}

void IncomingPart::reopen() {
  if (!try_reopen())
    throw Error(ErrorKind::local_file,
                "others have sent it, or another state of it, meanwhile: the same command goes on");
}

void IncomingPart::drop() noexcept {
  try {
    if (place_ == nullptr || !try_reopen()) return;
    const PieceTable::Lock lock(table_, true);
    if (table_.inode() != inode_) return;
    for (auto i = pieces_.next(0); i; i = pieces_.next(*i + 1)) {
      const PieceRecord record = table_.record(*i);
      if (record.writer != writer_ || record.has(PieceRecord::kCounted)) continue;
      table_.set_record(*i, {.flags = record.flags & PieceRecord::kPromised});
      const Extent piece = pieces_.extent(*i);
      ::fallocate(data_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(piece.offset), static_cast<off_t>(piece.length));
    }
  } catch (const std::exception&) {
    // What is left says by whom it was begun, and is looked at before it counts.
  }
}

void IncomingPart::tidy() noexcept {
  if (!is_open() || settled_) return;
  try {
    if (::flock(table_.file().get(), LOCK_EX | LOCK_NB) != 0 || table_.inode() != inode_ ||
        inode_of(place_, table_name_, table_.file()) == 0)
      return;
    for (std::uint64_t i = 0; i < pieces_.count(); ++i)
      if (table_.record(i).flags != 0) return;
    if (::flock(data_.get(), LOCK_EX | LOCK_NB) != 0) return;
    ::unlinkat(place_->get(), table_name_.c_str(), 0);
    ::unlinkat(place_->get(), data_name_.c_str(), 0);
  } catch (const std::exception&) {
    // It is removed with what is old.
  }
}

}  // namespace adoc
