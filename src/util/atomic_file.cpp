#include "util/atomic_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <utility>

#include "util/buffer.hpp"
#include "util/errno_error.hpp"
#include "util/extended_attributes.hpp"
#include "util/holes.hpp"
#include "util/own_permissions.hpp"

namespace adoc {

namespace {

/// Written data goes to the disk in the background from this much on, so that the flush at the end
/// of a large file finds little left to do.
constexpr std::uint64_t kStartFlushBytes = 8 << 20;

constexpr std::size_t kCopyBytes = 256 << 10;

[[noreturn]] void fail(std::string_view action) {
  throw errno_error(ErrorKind::local_file, action, errno);
}

std::string temporary_name() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof(random), 0) != sizeof(random)) fail("get a random number");
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "%s%016llx.part", kTemporaryPrefix.data(),
                static_cast<unsigned long long>(random));
  return name.data();
}

std::array<timespec, 2> times(const FileMetadata& metadata) noexcept {
  return {{{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
           {.tv_sec = static_cast<time_t>(metadata.mtime_seconds),
            .tv_nsec = static_cast<long>(metadata.mtime_nanoseconds)}}};
}

/// A name in an open directory.
struct NameAt {
  int directory;
  const char* name;
};

/// Renames; with EEXIST it failed because something has the new name that is to be kept.
bool move(NameAt from, NameAt to, Existing existing) noexcept {
  if (existing == Existing::kept) {
    if (::renameat2(from.directory, from.name, to.directory, to.name, RENAME_NOREPLACE) == 0)
      return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    // The file system cannot do it in one step.
    struct stat there {};
    if (::fstatat(to.directory, to.name, &there, AT_SYMLINK_NOFOLLOW) == 0) {
      errno = EEXIST;
      return false;
    }
  }
  return ::renameat(from.directory, from.name, to.directory, to.name) == 0;
}

}  // namespace

void set_metadata(int fd, const FileMetadata& metadata) {
  if (::fchmod(fd, metadata.mode) != 0) fail("set its mode");
  if (::futimens(fd, times(metadata).data()) != 0) fail("set its time");
}

Fd open_seen(const SeenFile& seen) {
  // Opened, not named: fchmodat() would follow a link that has taken the file's place.
  struct stat status {};
  Fd file = open_for_reading(seen.directory->get(), seen.name, status);
  if (!file) fail("open what is there");
  if (!S_ISREG(status.st_mode) || status.st_nlink != 1 || FileState(status) != seen.identity)
    throw Error(ErrorKind::local_file, "something else has taken its place");
  return file;
}

// Not fdatasync(): that leaves out mode and time.
void flush(int fd) {
  // Some file systems have nothing to flush in a directory and say so.
  if (::fsync(fd) != 0 && errno != EINVAL) fail("flush it to the disk");
}

AtomicFile AtomicFile::create(DirectoryPtr place, DirectoryPtr directory) {
  while (true) {
    std::string name = temporary_name();
    Fd file(::openat(place->get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                     0600));
    if (file) return {{std::move(place), std::move(name), std::move(file)}, std::move(directory)};
    if (errno != EEXIST) fail("make a temporary file for it");
  }
}

AtomicFile::AtomicFile(Temporary temporary, DirectoryPtr directory) noexcept
    : temporary_(std::move(temporary)), directory_(std::move(directory)) {
  if (temporary_.place != directory_) inherit_group();
}

// A file that is made in a directory with the set-group-ID bit belongs to the directory's group;
// one that is moved there does not.
void AtomicFile::inherit_group() const noexcept {
  struct stat directory {};
  struct stat file {};
  if (::fstat(directory_->get(), &directory) != 0 || (directory.st_mode & S_ISGID) == 0) return;
  if (::fstat(fd(), &file) != 0 || file.st_gid == directory.st_gid) return;
  // Where the system does not let us it stays ours, as with any file that is moved.
  [[maybe_unused]] const int done = ::fchown(fd(), static_cast<uid_t>(-1), directory.st_gid);
}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    discard();
    temporary_.place = std::move(other.temporary_.place);
    temporary_.name = std::exchange(other.temporary_.name, {});
    temporary_.file = std::move(other.temporary_.file);
    directory_ = std::move(other.directory_);
    unflushed_from_ = other.unflushed_from_;
    end_ = other.end_;
    device_ = other.device_;
    inode_ = other.inode_;
  }
  return *this;
}

void AtomicFile::write(std::uint64_t offset, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write it");
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  end_ = std::max(end_, offset);
  if (end_ - unflushed_from_ >= kStartFlushBytes) start_flush();
}

void AtomicFile::set_size(std::uint64_t size) {
  if (::ftruncate(fd(), static_cast<off_t>(size)) != 0) fail("set its size");
}

void AtomicFile::start_flush() noexcept {
  if (end_ == unflushed_from_) return;
  ::sync_file_range(fd(), static_cast<off_t>(unflushed_from_),
                    static_cast<off_t>(end_ - unflushed_from_), SYNC_FILE_RANGE_WRITE);
  unflushed_from_ = end_;
}

// Under the name that it has, another transfer of the same file could go on with it, once the lock
// is gone with the descriptor.
void AtomicFile::set_aside() {
  struct stat status {};
  if (::fstat(fd(), &status) != 0) fail("look at it");
  std::string name = temporary_name();
  const int place = temporary_.place->get();
  if (::renameat(place, temporary_.name.c_str(), place, name.c_str()) != 0) fail("set it aside");
  temporary_.name = std::move(name);
  temporary_.file.reset();
  directory_.reset();
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

void AtomicFile::return_to(const DirectoryPtr& directory) {
  directory_ = directory;
  if (temporary_.file) return;
  struct stat status {};
  temporary_.file = open_for_reading(temporary_.place->get(), temporary_.name, status);
  if (!temporary_.file) fail("open it again");
  if (status.st_dev != device_ || status.st_ino != inode_)
    throw Error(ErrorKind::local_file, "another file has taken its temporary name");
}

bool AtomicFile::publish(const std::string& name, const Publishing& how) {
  expect_own_name();
  if (move({temporary_.place->get(), temporary_.name.c_str()}, {directory_->get(), name.c_str()},
           how.existing)) {
    temporary_.name.clear();
    temporary_.file.reset();
    return true;
  }
  if (errno == EEXIST && how.existing == Existing::kept) return false;
  // Two mounts of one file system look like one until this.
  if (errno != EXDEV || temporary_.place == directory_) fail("give it its name");
  return publish_copy(name, how);
}

// What was written and checked is the open file. Whoever may write in its place may have given the
// temporary name to another one.
void AtomicFile::expect_own_name() {
  struct stat named {};
  struct stat opened {};
  if (::fstatat(temporary_.place->get(), temporary_.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0)
    fail("find it under its temporary name");
  if (::fstat(fd(), &opened) != 0) fail("look at it");
  if (named.st_dev != opened.st_dev || named.st_ino != opened.st_ino)
    throw Error(ErrorKind::local_file, "another file has taken its temporary name");
  device_ = opened.st_dev;
  inode_ = opened.st_ino;
}

bool AtomicFile::publish_copy(const std::string& name, const Publishing& how) {
  struct stat status {};
  if (::fstat(fd(), &status) != 0) fail("look at it");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  AtomicFile copy = create(directory_);
  Buffer buffer(kCopyBytes);
  // Without its holes: they would take time and room for nothing.
  for (std::uint64_t offset = next_data(fd(), 0, size); offset < size;) {
    if (how.stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
    const std::uint64_t end = std::min(offset + buffer.size(), next_hole(fd(), offset, size));
    const ssize_t got = ::pread(fd(), buffer.data(), static_cast<std::size_t>(end - offset),
                                static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read it");
    if (got == 0) break;
    copy.write(offset, ByteSpan(buffer).first(static_cast<std::size_t>(got)));
    offset = next_data(fd(), offset + static_cast<std::uint64_t>(got), size);
  }
  copy.set_size(size);
  if (!copy_attributes(fd(), copy.fd())) fail("give its copy its owner and attributes");
  copy.set_metadata({status.st_mode & 07777, status.st_mtim.tv_sec,
                     static_cast<std::uint32_t>(status.st_mtim.tv_nsec)});
  copy.flush();
  const bool published = copy.publish(name, how);
  device_ = copy.device_;
  inode_ = copy.inode_;
  discard();
  return published;
}

void AtomicFile::discard() noexcept {
  if (!temporary_.name.empty()) ::unlinkat(temporary_.place->get(), temporary_.name.c_str(), 0);
  temporary_.name.clear();
}

namespace {

/// Of a link that was just made: what has its name is held, so that no other file can take its
/// place in between.
bool set_owner_of_link(const NewLink& link, const std::string& temporary) noexcept {
  if (!link.user && !link.group) return true;
  const Fd made(::openat(link.place->get(), temporary.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!made || ::fstat(made.get(), &status) != 0) return false;
  if (!S_ISLNK(status.st_mode) || status.st_nlink != 1 || status.st_uid != ::geteuid()) {
    errno = EPERM;
    return false;
  }
  constexpr auto kSame = static_cast<uid_t>(-1);
  return ::fchownat(made.get(), "", link.user.value_or(kSame), link.group.value_or(kSame),
                    AT_EMPTY_PATH) == 0;
}

}  // namespace

bool publish_symlink(const NewLink& link) {
  const std::string temporary = temporary_name();
  const int place = link.place->get();
  if (::symlinkat(link.target.c_str(), place, temporary.c_str()) != 0) fail("make the link");
  if (set_owner_of_link(link, temporary) &&
      ::utimensat(place, temporary.c_str(), times(link.metadata).data(), AT_SYMLINK_NOFOLLOW) ==
          0 &&
      move({place, temporary.c_str()}, {link.directory->get(), link.name.c_str()}, link.existing))
    return true;
  const int error_number = errno;
  ::unlinkat(place, temporary.c_str(), 0);
  if (error_number == EEXIST && link.existing == Existing::kept) return false;
  if (error_number != EXDEV || link.place == link.directory)
    throw errno_error(ErrorKind::local_file, "give the link its name", error_number);
  NewLink beside = link;
  beside.place = link.directory;
  return publish_symlink(beside);
}

bool publish_name(const NewName& link) {
  const std::string temporary = temporary_name();
  const int place = link.place->get();
  int error_number = 0;
  if (link_open(link.file, place, temporary)) {
    const bool is_done =
        move({place, temporary.c_str()}, {link.directory->get(), link.name.c_str()}, link.existing);
    error_number = is_done ? 0 : errno;
    // Also where the two names were one file's already: nothing is moved then.
    ::unlinkat(place, temporary.c_str(), 0);
    if (is_done) return true;
    if (error_number == EEXIST && link.existing == Existing::kept) return false;
  } else {
    error_number = errno;
  }
  if (error_number != EXDEV || link.place == link.directory)
    throw errno_error(ErrorKind::local_file, "give the file another name", error_number);
  NewName beside = link;
  beside.place = link.directory;
  return publish_name(beside);
}

}  // namespace adoc
