#include "io/quiet_write.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>

namespace adoc {

namespace {

bool is_socket(int fd) noexcept {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

bool is_ignored(int signal) noexcept {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == SIG_IGN;
}

/// A pipe has no flag like that of sendmsg(): the signal is held back, and taken if it came.
ssize_t write_to_pipe(int fd, std::span<const iovec> parts) noexcept {
  const auto count = static_cast<int>(parts.size());
  if (is_ignored(SIGPIPE)) return ::writev(fd, parts.data(), count);
  sigset_t pipe;
  sigset_t pending;
  sigset_t before;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const ssize_t written = ::writev(fd, parts.data(), count);
  const int error_number = errno;
  if (written < 0 && error_number == EPIPE && ::sigismember(&pending, SIGPIPE) == 0) {
    const timespec at_once{};
    while (::sigtimedwait(&pipe, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error_number;
  return written;
}

}  // namespace

QuietWrite::QuietWrite(int fd) noexcept : fd_(fd), is_socket_(is_socket(fd)) {}

ssize_t QuietWrite::operator()(std::span<const iovec> parts) const noexcept {
  if (!is_socket_) return write_to_pipe(fd_, parts);
  msghdr message{};
  // sendmsg() does not write to what it is given, its types only cannot say so.
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  return ::sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace adoc
