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

#include "util/errno_error.hpp"
#include "util/holes.hpp"

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

}  // namespace

void set_metadata(int fd, const FileMetadata& metadata) {
  if (::fchmod(fd, metadata.mode) != 0) fail("set its mode");
  if (::futimens(fd, times(metadata).data()) != 0) fail("set its time");
}

void set_metadata(const DirectoryPtr& directory, const std::string& name,
                  const FileMetadata& metadata) {
  // Opened, not named: fchmodat() would follow a link that has taken the file's place.
  const Fd file(
      ::openat(directory->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) fail("open what is there");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("look at what is there");
  if (!S_ISREG(status.st_mode) || status.st_nlink != 1)
    throw Error(ErrorKind::local_file, "something else has taken its place");
  set_metadata(file.get(), metadata);
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

void AtomicFile::flush() {
  if (::fdatasync(fd()) != 0) fail("flush it to the disk");
}

void AtomicFile::publish(const std::string& name, const std::stop_token& stop) {
  if (::renameat(temporary_.place->get(), temporary_.name.c_str(), directory_->get(),
                 name.c_str()) == 0) {
    temporary_.name.clear();
    temporary_.file.reset();
    return;
  }
  // Two mounts of one file system look like one until this.
  if (errno != EXDEV || temporary_.place == directory_) fail("give it its name");
  publish_copy(name, stop);
}

void AtomicFile::publish_copy(const std::string& name, const std::stop_token& stop) {
  struct stat status {};
  if (::fstat(fd(), &status) != 0) fail("look at it");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  AtomicFile copy = create(directory_);
  Bytes buffer(kCopyBytes);
  // Without its holes: they would take time and room for nothing.
  for (std::uint64_t offset = next_data(fd(), 0, size); offset < size;) {
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
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
  copy.set_metadata({status.st_mode & 07777, status.st_mtim.tv_sec,
                     static_cast<std::uint32_t>(status.st_mtim.tv_nsec)});
  copy.flush();
  copy.publish(name);
  discard();
}

void AtomicFile::discard() noexcept {
  if (!temporary_.name.empty()) ::unlinkat(temporary_.place->get(), temporary_.name.c_str(), 0);
  temporary_.name.clear();
}

void publish_symlink(const NewLink& link) {
  const std::string temporary = temporary_name();
  const int place = link.place->get();
  if (::symlinkat(link.target.c_str(), place, temporary.c_str()) != 0) fail("make the link");
  if (::utimensat(place, temporary.c_str(), times(link.metadata).data(), AT_SYMLINK_NOFOLLOW) ==
          0 &&
      ::renameat(place, temporary.c_str(), link.directory->get(), link.name.c_str()) == 0)
    return;
  const int error_number = errno;
  ::unlinkat(place, temporary.c_str(), 0);
  if (error_number != EXDEV || link.place == link.directory)
    throw errno_error(ErrorKind::local_file, "give the link its name", error_number);
  NewLink beside = link;
  beside.place = link.directory;
  publish_symlink(beside);
}

void flush_directory(const DirectoryPtr& directory) {
  // Some file systems have nothing to flush in a directory and say so.
  if (::fsync(directory->get()) != 0 && errno != EINVAL) fail("flush a directory to the disk");
}

}  // namespace adoc
