#include "messages/file.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "util/buffer.hpp"

namespace adoc::messages {

namespace {

constexpr std::size_t kReadBytes = 1 << 20;

/// Again and again, whatever the descriptor's mode, until it is done or has failed.
template <typename Step>
Count insist(int fd, short events, Step step) {
  for (;;) {
    const Count done = step();
    if (done == -EAGAIN) {
      wait_for(fd, events);
    } else if (done != -EINTR) {
      return done;
    }
  }
}

/// As read(), until there is nothing more: a pipe gives little at once.
Count fill(int file, Buffer& buffer) {
  std::size_t bytes = 0;
  while (bytes < buffer.size()) {
    const ssize_t came = ::read(file, buffer.data() + bytes, buffer.size() - bytes);
    if (came == 0) break;
    if (came > 0) {
      bytes += static_cast<std::size_t>(came);
    } else if (errno == EAGAIN) {
      wait_for(file, POLLIN);
    } else if (errno != EINTR) {
      return -errno;
    }
  }
  return static_cast<Count>(bytes);
}

Count write_all(int file, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t went = ::write(file, bytes.data(), bytes.size());
    if (went >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(went));
    } else if (errno == EAGAIN) {
      wait_for(file, POLLOUT);
    } else if (errno != EINTR) {
      return -errno;
    }
  }
  return 0;
}

}  // namespace

std::int64_t send_file(int fd, Connection& connection, int file, LevelRange range,
                       std::uint64_t& wire) {
  Outgoing& out = connection.out;
  const auto mark = [&](FileMark::Mark what, std::uint64_t bytes) {
    return insist(fd, POLLOUT, [&] { return out.write_mark(fd, {what, bytes}, wire); });
  };
  Buffer buffer(kReadBytes);
  if (const Count failed = mark(FileMark::Mark::begin, 0); failed < 0) return failed;
  std::uint64_t sent = 0;
  for (;;) {
    const Count read = fill(file, buffer);
    if (read < 0) {
      const Count failed = mark(FileMark::Mark::failed, sent);
      return failed < 0 ? failed : read;
    }
    ByteSpan rest(buffer.data(), static_cast<std::size_t>(read));
    while (!rest.empty()) {
      const Count taken = insist(fd, POLLOUT, [&] { return out.write(fd, rest, range, wire); });
      if (taken < 0) return taken;
      rest = rest.subspan(static_cast<std::size_t>(taken));
      sent += static_cast<std::uint64_t>(taken);
    }
    if (static_cast<std::size_t>(read) < buffer.size()) break;
  }
  if (const Count failed = mark(FileMark::Mark::end, sent); failed < 0) return failed;
  const Count flushed = insist(fd, POLLOUT, [&] { return out.flush(fd); });
  return flushed < 0 ? flushed : static_cast<std::int64_t>(sent);
}

std::int64_t receive_file(int fd, Connection& connection, int file) {
  Incoming& in = connection.in;
  DescriptorSource source(fd);
  Buffer buffer(kReadBytes);
  FileMark mark;
  const auto next_mark = [&] {
    return insist(fd, POLLIN, [&] { return in.read_mark(source, mark); });
  };
  const Count begun = next_mark();
  if (begun < 0) return begun;
  if (begun == 0) return -ENODATA;
  if (mark.mark != FileMark::Mark::begin) return in.break_off(EPROTO);
  std::uint64_t received = 0;
  Count failed = 0;
  for (;;) {
    const Count came = insist(fd, POLLIN, [&] {
      return in.read(source, {buffer.data(), buffer.size()});
    });
    if (came == -ENOMSG) break;
    if (came == 0) return in.break_off(EBADMSG);
    if (came < 0) return came;
    received += static_cast<std::uint64_t>(came);
    if (failed == 0) failed = write_all(file, {buffer.data(), static_cast<std::size_t>(came)});
  }
  if (const Count ended = next_mark(); ended < 0) return ended;
  if (mark.mark == FileMark::Mark::begin || mark.raw_bytes != received) return in.break_off(EPROTO);
  if (mark.mark == FileMark::Mark::failed) return -EREMOTEIO;
  return failed < 0 ? failed : static_cast<std::int64_t>(received);
}

}  // namespace adoc::messages
