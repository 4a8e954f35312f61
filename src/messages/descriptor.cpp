#include "messages/descriptor.hpp"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "wire/message.hpp"

namespace adoc::messages {

namespace {

constexpr std::size_t kShortBytes = 4'096 + kMaxMessageHeaderBytes;

std::size_t size_of(std::span<const iovec> parts) noexcept {
  std::size_t bytes = 0;
  for (const iovec& part : parts) bytes += part.iov_len;
  return bytes;
}

Count result_of(ssize_t result) noexcept { return result < 0 ? -errno : result; }

int option(int fd, int level, int name) noexcept {
  int value = -1;
  socklen_t length = sizeof(value);
  return ::getsockopt(fd, level, name, &value, &length) == 0 ? value : -1;
}

msghdr as_message(std::span<const iovec> parts) noexcept {
  msghdr message{};
  // sendmsg() does not write to what it is given, its types only cannot say so.
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  return message;
}

}  // namespace

Count identify(int fd, Identity& identity, mode_t& mode) noexcept {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return -errno;
  identity = {.device = status.st_dev, .inode = status.st_ino};
  mode = status.st_mode;
  return S_ISSOCK(mode) || S_ISFIFO(mode) || S_ISCHR(mode) ? 0 : -EOPNOTSUPP;
}

Count kind_of(int fd, mode_t mode, Channel& channel) noexcept {
  channel = S_ISFIFO(mode) ? Channel::pipe : Channel::other;
  if (!S_ISSOCK(mode)) return 0;
  if (option(fd, SOL_SOCKET, SO_TYPE) != SOCK_STREAM) return -EOPNOTSUPP;
  const bool tcp = option(fd, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_TCP;
  channel = tcp ? Channel::tcp : Channel::local_socket;
  return 0;
}

// A short message is copied behind its header: that takes less than telling the system of both.
Count system_write(int fd, Channel channel, std::span<const iovec> parts) noexcept {
  if (const std::size_t bytes = size_of(parts); bytes <= kShortBytes) {
    std::array<std::byte, kShortBytes> all;  // NOLINT(*-member-init): what is used is written
    std::size_t at = 0;
    for (const iovec& part : parts) {
      if (part.iov_len != 0) std::memcpy(all.data() + at, part.iov_base, part.iov_len);
      at += part.iov_len;
    }
    return result_of(is_socket(channel) ? ::send(fd, all.data(), bytes, MSG_NOSIGNAL)
                                        : ::write(fd, all.data(), bytes));
  }
  if (!is_socket(channel))
    return result_of(::writev(fd, parts.data(), static_cast<int>(parts.size())));
  const msghdr message = as_message(parts);
  return result_of(::sendmsg(fd, &message, MSG_NOSIGNAL));
}

Count system_read(int fd, std::span<const iovec> parts) noexcept {
  if (const std::size_t bytes = size_of(parts); bytes <= kShortBytes) {
    std::array<std::byte, kShortBytes> all;  // NOLINT(*-member-init): what is used is read
    const Count came = result_of(::read(fd, all.data(), bytes));
    std::size_t at = 0;
    for (const iovec& part : parts) {
      if (came <= static_cast<Count>(at)) break;
      const std::size_t some = std::min(static_cast<std::size_t>(came) - at, part.iov_len);
      if (some != 0) std::memcpy(part.iov_base, all.data() + at, some);
      at += some;
    }
    return came;
  }
  return result_of(::readv(fd, parts.data(), static_cast<int>(parts.size())));
}

// A pipe that poll() calls writable has room for PIPE_BUF, whatever its mode.
Count system_write_now(int fd, Channel channel, ByteSpan bytes) noexcept {
  if (is_socket(channel))
    return result_of(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
  const int ready = ::poll(&writable, 1, 0);
  if (ready < 0) return -errno;
  if (ready == 0) return -EAGAIN;
  return result_of(::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF)));
}

bool does_not_block(int fd) noexcept { return (::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0; }

void wait_for(int fd, short events) noexcept {
  pollfd waited{.fd = fd, .events = events, .revents = 0};
  static_cast<void>(::poll(&waited, 1, -1));
}

iovec as_iovec(ByteSpan bytes) noexcept {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

iovec as_iovec(std::span<std::byte> bytes) noexcept { return {bytes.data(), bytes.size()}; }

std::optional<std::uint64_t> unread_bytes(int fd, Channel channel) noexcept {
  int bytes = 0;
  if (channel == Channel::pipe && ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes >= 0) return bytes;
  if (channel == Channel::local_socket && ::ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes >= 0)
    return bytes;
  return std::nullopt;
}

}  // namespace adoc::messages
