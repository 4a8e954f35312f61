#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "adoc/options.hpp"
#include "io/address.hpp"
#include "io/tcp_stream.hpp"
#include "util/fd.hpp"
#include "util/wakeup.hpp"

namespace adoc {

class TcpListener {
 public:
  /// On all addresses, of both IP families where the system has them, when the host is empty or
  /// "*". Throws Error(connect): the address is taken, not ours, or not an address.
  explicit TcpListener(const Endpoint& at);
  /// On a socket that listens already. Throws Error(usage) for what is not one of TCP.
  explicit TcpListener(Fd listening);

  /// With the port that the system chose for port 0.
  [[nodiscard]] const Endpoint& local() const noexcept { return local_; }

  /// The next connection; null on a stop request, and then for good.
  [[nodiscard]] std::unique_ptr<TcpStream> accept(const std::stop_token& stop);

  /// The next connection if one is waiting.
  struct Arrival {
    std::unique_ptr<TcpStream> stream{};
    Source source{};
    bool later = false;  ///< one may be, but cannot be taken now: to be asked again after a pause
  };
  /// Throws only when the listening socket itself is of no use any more; what is wrong with one
  /// connection, or lacking for it, is none of the others' business.
  [[nodiscard]] Arrival accept_now();
  /// For poll().
  [[nodiscard]] int fd() const noexcept { return socket_.get(); }

 private:
  Fd socket_;
  Endpoint local_;
  Wakeup stopped_;  ///< made beforehand: descriptors may have run out when it is needed
  std::optional<Wakeup> next_stopping_;  ///< of the next connection, for the same reason
};

}  // namespace adoc
