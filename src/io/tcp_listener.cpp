#include "io/tcp_listener.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <new>
#include <utility>

#include "io/address.hpp"
#include "io/socket_buffer.hpp"
#include "util/errno_error.hpp"
#include "util/wakeup.hpp"

namespace adoc {

namespace {

/// Those that come while a full house is served; the system allows fewer where it must.
constexpr int kBacklog = 1'024;
constexpr int kExhaustedMs = 100;

/// Connections in a row that were gone before they could be taken; then others have their turn.
constexpr int kMostPassing = 16;

/// What accept() says when it is the listening socket that is of no use; all else is said of one
/// connection, or passes.
bool is_of_the_listener(int error_number) noexcept {
  return error_number == EBADF || error_number == ENOTSOCK || error_number == EINVAL ||
         error_number == EFAULT;
}

/// Whether this process or the system has no more of something.
bool is_lack(int error_number) noexcept {
  return error_number == EMFILE || error_number == ENFILE || error_number == ENOBUFS ||
         error_number == ENOMEM;
}

/// Before the process is confined.
void learn_limits() noexcept {
  static_cast<void>(SocketBuffer::system_limits(SocketBuffer::Direction::receiving));
}

}  // namespace

TcpListener::TcpListener(const Endpoint& at) {
  learn_limits();
  int error_number = 0;
  for (const Address& address : resolve(at, Purpose::listen)) {
    Fd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    const int off = 0;
    // Whatever the system's default is: an IPv6 socket for all addresses takes IPv4 as well.
    if (socket && address.family() == AF_INET6)
      ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (socket && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        ::bind(socket.get(), address.get(), address.length) == 0 &&
        ::listen(socket.get(), kBacklog) == 0) {
      local_ = local_endpoint(socket.get());
      socket_ = std::move(socket);
      return;
    }
    error_number = errno;
    // Somebody has the port, if not in this family: half of the addresses would not be ours.
    if (error_number == EADDRINUSE) break;
  }
  const bool taken = error_number == EADDRINUSE;
  throw Error(ErrorKind::connect, "cannot listen on " + to_string(at) + ": " +
                                      errno_text(error_number) +
                                      (taken ? " (port 0 picks a free one)" : ""));
}

TcpListener::TcpListener(Fd listening) : socket_(std::move(listening)) {
  learn_limits();
  const auto option = [this](int name) {
    int value = 0;
    socklen_t size = sizeof(value);
    return ::getsockopt(socket_.get(), SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
  };
  const int family = option(SO_DOMAIN);
  if ((family != AF_INET && family != AF_INET6) || option(SO_PROTOCOL) != IPPROTO_TCP)
    throw Error(ErrorKind::usage, "what was passed to be listened on is not a TCP socket");
  if (option(SO_ACCEPTCONN) != 1)
    throw Error(ErrorKind::usage,
                "the socket that was passed does not listen: one for all connections is wanted, "
                "not one for each of them (Accept=no)");
  // Connections may be gone before they are taken, and then nobody must wait in accept().
  const int flags = ::fcntl(socket_.get(), F_GETFL);
  if (flags < 0 || ::fcntl(socket_.get(), F_SETFL, flags | O_NONBLOCK) != 0)
    throw errno_error(ErrorKind::connect, "prepare the socket that was passed", errno);
  local_ = local_endpoint(socket_.get());
}

// All that a connection needs is there before it is taken: the system keeps those that wait, and
// one that was taken with the last descriptor could only be closed.
TcpListener::Arrival TcpListener::accept_now() try {
  for (int i = 0; i < kMostPassing; ++i) {
    if (!next_stopping_) next_stopping_.emplace();
    Address peer;
    peer.length = sizeof(peer.storage);
    Fd socket(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&peer.storage), &peer.length,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      auto stream = std::make_unique<TcpStream>(std::move(socket), to_string(peer.endpoint()),
                                                *std::move(next_stopping_));
      next_stopping_.reset();
      return {.stream = std::move(stream), .source = source_of(peer)};
    }
    if (errno == EAGAIN) return {};
    if (is_of_the_listener(errno))
      throw errno_error(ErrorKind::connect, "accept a connection", errno);
    // Linux hands on what befell one connection, as that its network went down.
    if (is_lack(errno)) break;
  }
  return {.later = true};
} catch (const Error& error) {
  if (error.kind() == ErrorKind::connect) throw;
  return {.later = true};
} catch (const std::bad_alloc&) {
  return {.later = true};
}

std::unique_ptr<TcpStream> TcpListener::accept(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [&] { stopped_.set(); });
  while (stopped_.wait_for(socket_.get(), POLLIN) != Wakeup::Result::woken) {
    Arrival arrival = accept_now();
    if (arrival.stream) return std::move(arrival.stream);
    // What is lacking comes back: the transfers under way give back what they hold.
    if (arrival.later && stopped_.wait_for(-1, 0, kExhaustedMs) == Wakeup::Result::woken)
      return nullptr;
  }
  return nullptr;
}

}  // namespace adoc
