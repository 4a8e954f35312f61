// The functions of include/adoc/adoc.h: what they are given is checked, and what is thrown within
// becomes an errno.

#include "adoc/adoc.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "adoc/version.hpp"
#include "messages/connection.hpp"
#include "messages/file.hpp"

namespace {

using namespace adoc;
using messages::Connection;
using messages::Count;

/// What `work` gives, or -1 and errno.
template <typename Work>
std::int64_t with_errno(Work work) noexcept {
  std::int64_t result = 0;
  try {
    result = work();
  } catch (const std::bad_alloc&) {
    result = -ENOMEM;
  } catch (const std::exception&) {
    result = -EIO;
  }
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

template <typename Work>
std::int64_t with_connection(int fd, Work work) noexcept {
  return with_errno([&]() -> std::int64_t {
    std::shared_ptr<Connection> connection;
    const Count failed = messages::connection_of(fd, connection);
    return failed < 0 ? failed : work(connection);
  });
}

/// The same, at first without asking the system who that is, where nothing depends on it
/// (`likely`): `likely_work` fails with ENOTSOCK where something does.
template <typename LikelyWork, typename Work>
std::int64_t with_likely_connection(int fd, bool likely, LikelyWork likely_work,
                                    Work work) noexcept {
  if (!likely) return with_connection(fd, work);
  const int before = errno;
  const std::int64_t result = with_errno([&]() -> std::int64_t {
    const auto connection = messages::likely_connection_of(fd);
    return connection ? likely_work(connection) : -ENOTSOCK;
  });
  if (result >= 0 || errno != ENOTSOCK) return result;
  errno = before;
  return with_connection(fd, work);
}

/// Of a flag that seldom changes: a store would wait for all others.
void set(std::atomic<bool>& flag, bool now) noexcept {
  if (flag.load(std::memory_order_relaxed) != now) flag = now;
}

/// What a write to a likely connection has left goes where the number stands for another one: false
/// if it does not. The caller holds `writing`.
bool move_kept(int fd, Connection& likely) noexcept {
  const auto other = messages::other_connection_of(fd, likely);
  if (!other) return false;
  const std::unique_lock lock(other->writing);
  other->out.take_kept(likely.out);
  likely.out_moved = true;
  messages::send_in_background(fd, other);
  set(other->out_carries, true);
  return true;
}

/// The same of what a read has begun. The caller holds `reading`.
bool move_begun(int fd, Connection& likely) noexcept {
  const auto other = messages::other_connection_of(fd, likely);
  if (!other) return false;
  const std::unique_lock lock(other->reading);
  other->in = std::exchange(likely.in, messages::Incoming());
  likely.in_moved = true;
  set(other->in_carries, true);
  return true;
}

bool is_range(int min_level, int max_level) noexcept {
  return min_level >= 0 && min_level <= max_level && max_level <= adoc_max_level();
}

}  // namespace

extern "C" {

ssize_t adoc_write_levels(int fd, const void* buf, size_t n, size_t* wire, int min_level,
                          int max_level) {
  std::uint64_t bytes = 0;
  const auto write = [&](const auto& connection, bool likely) -> std::int64_t {
    if (n > SSIZE_MAX || !is_range(min_level, max_level)) return -EINVAL;
    const ByteSpan message(static_cast<const std::byte*>(buf), n);
    const LevelRange range{.min = min_level, .max = max_level};
    const std::unique_lock lock(connection->writing);
    if (likely && connection->out_moved) return -ENOTSOCK;
    messages::Outgoing& out = connection->out;
    Count result = 0;
    if (likely && n >= messages::Outgoing::kLongBytes) {
      // The level of a long one depends on what is known of the link, unless that was just asked.
      const auto plain = out.write_plain_for_now(fd, message, range, bytes);
      if (!plain) return -ENOTSOCK;
      result = *plain;
    } else {
      result = out.write(fd, message, range, bytes);
    }
    if (likely && out.keeps_some() && move_kept(fd, *connection)) return result;
    if (out.keeps_some()) messages::send_in_background(fd, connection);
    set(connection->out_carries, out.keeps_some());
    return result;
  };
  const std::int64_t taken = with_likely_connection(
      fd, n > 0, [&](const auto& connection) { return write(connection, true); },
      [&](const auto& connection) { return write(connection, false); });
  if (wire != nullptr) *wire = bytes;
  return taken;
}

ssize_t adoc_write(int fd, const void* buf, size_t n, size_t* wire) {
  return adoc_write_levels(fd, buf, n, wire, 0, adoc_max_level());
}

ssize_t adoc_read(int fd, void* buf, size_t n) {
  const auto read = [&](const auto& connection, bool likely) -> std::int64_t {
    if (n > SSIZE_MAX) return -EINVAL;
    const std::unique_lock lock(connection->reading);
    if (likely && connection->in_moved) return -ENOTSOCK;
    messages::DescriptorSource source(fd);
    const Count came = connection->in.read(source, {static_cast<std::byte*>(buf), n});
    if (likely && connection->in.carries() && move_begun(fd, *connection)) return came;
    set(connection->in_carries, connection->in.carries());
    return came;
  };
  return with_likely_connection(
      fd, n > 0, [&](const auto& connection) { return read(connection, true); },
      [&](const auto& connection) { return read(connection, false); });
}

ssize_t adoc_pending(int fd) {
  return with_connection(fd, [&](const auto& connection) -> std::int64_t {
    const std::unique_lock lock(connection->reading);
    return connection->in.pending();
  });
}

int adoc_flush(int fd) {
  return static_cast<int>(with_connection(fd, [&](const auto& connection) -> std::int64_t {
    const std::unique_lock lock(connection->writing);
    const Count flushed = connection->out.flush(fd);
    connection->out_carries = connection->out.keeps_some();
    return flushed;
  }));
}

int64_t adoc_send_file_levels(int fd, int file, uint64_t* wire, int min_level, int max_level) {
  std::uint64_t bytes = 0;
  const std::int64_t sent = with_connection(fd, [&](const auto& connection) -> std::int64_t {
    if (!is_range(min_level, max_level)) return -EINVAL;
    const std::unique_lock lock(connection->writing);
    const std::int64_t result =
        messages::send_file(fd, *connection, file, {.min = min_level, .max = max_level}, bytes);
    connection->out_carries = connection->out.keeps_some();
    return result;
  });
  if (wire != nullptr) *wire = bytes;
  return sent;
}

int64_t adoc_send_file(int fd, int file, uint64_t* wire) {
  return adoc_send_file_levels(fd, file, wire, 0, adoc_max_level());
}

int64_t adoc_receive_file(int fd, int file) {
  return with_connection(fd, [&](const auto& connection) -> std::int64_t {
    const std::unique_lock lock(connection->reading);
    const std::int64_t result = messages::receive_file(fd, *connection, file);
    connection->in_carries = connection->in.carries();
    return result;
  });
}

int adoc_close(int fd) {
  messages::forget(fd);
  return ::close(fd);
}

int adoc_max_level(void) { return messages::ladder().top(); }

const char* adoc_strerror(int error_number) {
  switch (error_number) {
    case EPROTO:
      return "the other end does not speak AdOC: what it sent was not written by adoc_write()";
    case EBADMSG:
      return "what came was damaged on its way, or ended within what was announced";
    case ENOMSG:
      return "a file comes next where bytes are read, or bytes where a file is to be received";
    case EREMOTEIO:
      return "the other end could not read all of the file that it sends";
    case ENODATA:
      return "the stream has ended where a file was to be received";
    case EOPNOTSUPP:
      return "not a stream: neither a stream socket nor a pipe nor a terminal";
    default:
      break;
  }
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
  const char* const words = ::strerrordesc_np(error_number);
#else
  const char* const words = std::strerror(error_number);
#endif
  return words != nullptr ? words : "unknown error";
}

// A literal, so that it ends with a zero.
const char* adoc_version(void) { return version().data(); }

}  // extern "C"
