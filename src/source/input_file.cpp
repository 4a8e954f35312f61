#include "source/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "util/errno_error.hpp"
#include "wire/protocol.hpp"

namespace adoc {

namespace {

/// Standard input that gives nothing for so long has paused.
constexpr int kPauseMs = 20;

/// Reading ahead pays from here on.
constexpr std::uint64_t kLongFileBytes = 256 << 10;

[[noreturn]] void throw_interrupted() { throw Error(ErrorKind::interrupted, "interrupted"); }

}  // namespace

InputFile::InputFile(const SourceFile& source, const Entry& entry, const Setup& setup)
    : file_(source.open()),
      contents_(file_.get(), setup.lossy),
      size_is_known_(entry.size != kUnknownSize),
      is_shared_(entry.share.has_value()) {
  if (!file_) throw source_error("open it", errno);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw source_error("look at it", errno);
  opened_ = identity(status);
  // What is made up as it is read has a time, and may have a number, of each time it is opened.
  Identity listed{entry.size, entry.mtime_seconds, entry.mtime_nanoseconds};
  if (entry.share) {
    listed.changed_seconds = entry.share->changed_seconds;
    listed.changed_nanoseconds = entry.share->changed_nanoseconds;
  }
  was_changed_ = size_is_known_ && opened_ != listed;
  const bool may_be = !was_changed_ || (setup.may_have_changed && opened_.size >= listed.size);
  const bool is_same = size_is_known_ ? source.is_listed(file_.get(), status) && may_be
                                      : status.st_dev == source.identity.device;
  if (!is_same) throw Error(ErrorKind::local_file, "it changed after it was listed");
  if (size_is_known_ && entry.size > kLongFileBytes)
    ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

std::size_t InputFile::read_standard_input(std::span<std::byte> into, const Wakeup& stopped) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    // A pipe may stay silent for ever, and nothing but this would notice that the transfer ended.
    const auto waited = stopped.wait_for(STDIN_FILENO, POLLIN, filled == 0 ? -1 : kPauseMs);
    if (waited == Wakeup::Result::woken) throw_interrupted();
    if (waited == Wakeup::Result::timed_out) break;
    const ssize_t got = ::read(STDIN_FILENO, into.data() + filled, into.size() - filled);
    if (got == 0) break;
    if (got > 0)
      filled += static_cast<std::size_t>(got);
    else if (errno != EINTR && errno != EAGAIN)
      throw errno_error(ErrorKind::local_file, "read it", errno);
  }
  return filled;
}

InputFile::Attributes InputFile::attributes() const noexcept {
  std::array<char, 1'024> list{};
  const ssize_t bytes = ::flistxattr(file_.get(), list.data(), list.size());
  Attributes found;
  if (bytes < 0) found.own = errno == ERANGE;
  for (std::string_view rest(list.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
       !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find('\0'));
    found.own = found.own || name.starts_with("user.");
    found.access_list = found.access_list || name == "system.posix_acl_access";
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return found;
}

bool InputFile::has_changed() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw source_error("look at it", errno);
  return was_changed_ || (size_is_known_ && identity(status) != opened_);
}

void InputFile::check_unchanged() const {
  if (has_changed()) throw Error(ErrorKind::local_file, "it changed while it was read");
}

InputFile::Identity InputFile::identity(const struct stat& status) const {
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorKind::local_file, "it is no longer a regular file");
  return {static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
          is_shared_ ? status.st_ctim.tv_sec : 0, is_shared_ ? status.st_ctim.tv_nsec : 0};
}

std::optional<Extents> data_runs(int file, std::uint64_t size, const std::stop_token& stop) {
  Extents runs;
  std::uint64_t end = 0;
  while (end < size) {
    if (stop.stop_requested()) throw_interrupted();
    const off_t data = ::lseek(file, static_cast<off_t>(end), SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // a hole up to the end
    if (data < 0) return std::nullopt;      // a file system that cannot tell
    const std::uint64_t begin = static_cast<std::uint64_t>(data);
    if (begin >= size) break;
    const bool joins_rest = runs.size() + 1 == kMaxExtents;
    const off_t hole = joins_rest ? -1 : ::lseek(file, data, SEEK_HOLE);
    end = hole < 0 ? size : std::min(static_cast<std::uint64_t>(hole), size);
    runs.push_back({begin, end - begin});
  }
  if (runs.size() == 1 && *runs.begin() == Extent{0, size}) return std::nullopt;
  return runs;
}

}  // namespace adoc
