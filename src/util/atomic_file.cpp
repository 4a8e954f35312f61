#include "util/atomic_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <utility>

#include "util/errno_error.hpp"

namespace adoc {

namespace {

/// Written data goes to the disk in the background from this much on, so that the flush at the end
/// of a large file finds little left to do.
constexpr std::uint64_t kStartFlushBytes = 8 << 20;

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

AtomicFile AtomicFile::create(DirectoryPtr directory) {
  while (true) {
    std::string name = temporary_name();
    Fd file(::openat(directory->get(), name.c_str(),
                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file) return {std::move(directory), std::move(name), std::move(file)};
    if (errno != EEXIST) fail("make a temporary file beside it");
  }
}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    discard();
    directory_ = std::move(other.directory_);
    temporary_name_ = std::exchange(other.temporary_name_, {});
    file_ = std::move(other.file_);
    unflushed_from_ = other.unflushed_from_;
    end_ = other.end_;
  }
  return *this;
}

void AtomicFile::write(std::uint64_t offset, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write it");
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  end_ = std::max(end_, offset);
  if (end_ - unflushed_from_ >= kStartFlushBytes) start_flush();
}

void AtomicFile::set_size(std::uint64_t size) {
  if (::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) fail("set its size");
}

void AtomicFile::start_flush() noexcept {
  if (end_ == unflushed_from_) return;
  ::sync_file_range(file_.get(), static_cast<off_t>(unflushed_from_),
                    static_cast<off_t>(end_ - unflushed_from_), SYNC_FILE_RANGE_WRITE);
  unflushed_from_ = end_;
}

void AtomicFile::flush() {
  if (::fdatasync(file_.get()) != 0) fail("flush it to the disk");
}

void AtomicFile::publish(const std::string& name) {
  if (::renameat(directory_->get(), temporary_name_.c_str(), directory_->get(), name.c_str()) != 0)
    fail("give it its name");
  temporary_name_.clear();
  file_.reset();
}

void AtomicFile::discard() noexcept {
  if (!temporary_name_.empty()) ::unlinkat(directory_->get(), temporary_name_.c_str(), 0);
  temporary_name_.clear();
}

void publish_symlink(const DirectoryPtr& directory, const std::string& name,
                     const std::string& target, const FileMetadata& metadata) {
  const std::string temporary = temporary_name();
  if (::symlinkat(target.c_str(), directory->get(), temporary.c_str()) != 0) fail("make the link");
  if (::utimensat(directory->get(), temporary.c_str(), times(metadata).data(),
                  AT_SYMLINK_NOFOLLOW) == 0 &&
      ::renameat(directory->get(), temporary.c_str(), directory->get(), name.c_str()) == 0)
    return;
  const int error_number = errno;
  ::unlinkat(directory->get(), temporary.c_str(), 0);
  throw errno_error(ErrorKind::local_file, "give the link its name", error_number);
}

void flush_directory(const DirectoryPtr& directory) {
  // Some file systems have nothing to flush in a directory and say so.
  if (::fsync(directory->get()) != 0 && errno != EINVAL) fail("flush a directory to the disk");
}

}  // namespace adoc
