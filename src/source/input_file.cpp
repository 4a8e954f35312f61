#include "source/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "util/errno_error.hpp"
#include "util/hash_file.hpp"
#include "wire/protocol.hpp"

namespace adoc {

namespace {

/// Standard input that gives nothing for so long has paused.
constexpr int kPauseMs = 20;

/// Throws unless trying again may help.
void check_passing(int error_number) {
  if (error_number != EINTR && error_number != EAGAIN)
    throw errno_error(ErrorKind::local_file, "read it", error_number);
}

Fd open_source(const std::string& path) {
  // Not to wait on a FIFO that took the file's place.
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) throw errno_error(ErrorKind::local_file, "open it", errno);
  return file;
}

}  // namespace

InputFile::InputFile(const std::string& path, const Entry& entry)
    : file_(open_source(path)), opened_(identity()) {
  if (opened_ != Identity{entry.size, entry.mtime_seconds, entry.mtime_nanoseconds})
    throw Error(ErrorKind::local_file, "it changed after it was listed");
  ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

std::size_t InputFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const std::span<std::byte> rest = into.subspan(filled);
    const ssize_t got =
        ::pread(file_.get(), rest.data(), rest.size(), static_cast<off_t>(offset + filled));
    if (got == 0) break;
    if (got > 0)
      filled += static_cast<std::size_t>(got);
    else
      check_passing(errno);
  }
  return filled;
}

std::size_t InputFile::read_standard_input(std::span<std::byte> into, const Wakeup& stopped) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    // A pipe may stay silent for ever, and nothing but this would notice that the transfer ended.
    const auto waited = stopped.wait_for(STDIN_FILENO, POLLIN, filled == 0 ? -1 : kPauseMs);
    if (waited == Wakeup::Result::woken) throw Error(ErrorKind::interrupted, "interrupted");
    if (waited == Wakeup::Result::timed_out) break;
    const ssize_t got = ::read(STDIN_FILENO, into.data() + filled, into.size() - filled);
    if (got == 0) break;
    if (got > 0)
      filled += static_cast<std::size_t>(got);
    else
      check_passing(errno);
  }
  return filled;
}

void InputFile::check_unchanged() const {
  if (identity() != opened_) throw Error(ErrorKind::local_file, "it changed while it was read");
}

InputFile::Identity InputFile::identity() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0)
    throw errno_error(ErrorKind::local_file, "look at it", errno);
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorKind::local_file, "it is no longer a regular file");
  return {static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

std::optional<Extents> data_runs(const std::string& path, std::uint64_t size) {
  const Fd file = open_source(path);
  Extents runs;
  std::uint64_t end = 0;
  while (end < size) {
    const off_t data = ::lseek(file.get(), static_cast<off_t>(end), SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // a hole up to the end
    if (data < 0) return std::nullopt;      // a file system that cannot tell
    const off_t hole = ::lseek(file.get(), data, SEEK_HOLE);
    const std::uint64_t begin = static_cast<std::uint64_t>(data);
    if (begin >= size) break;
    end = hole < 0 || runs.size() + 1 == kMaxExtents
              ? size
              : std::min(static_cast<std::uint64_t>(hole), size);
    runs.push_back({begin, end - begin});
  }
  if (runs.size() == 1 && *runs.begin() == Extent{0, size}) return std::nullopt;
  return runs;
}

ContentHash hash_file(const std::string& path) { return hash_file(open_source(path).get()); }

}  // namespace adoc
