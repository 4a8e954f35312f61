#pragma once

#include <deque>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "adoc/options.hpp"
#include "io/tcp_stream.hpp"
#include "util/guarded.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// Connections of a sender that opens none itself, because it is confined or behind a firewall: the
/// receiver opens them, one ahead of need, and the sender takes it from its listener when it wants
/// one more. Only once the sender speaks over it is it one that has arrived, and the next is
/// opened.
class ReverseConnections {
 public:
  /// Where the sender listens, in numbers; tried in turns until one answers. Begins a thread, which
  /// opens sockets: to be made where that is allowed. Throws Error(internal), std::system_error.
  explicit ReverseConnections(std::vector<Endpoint> listeners);
  ReverseConnections(const ReverseConnections&) = delete;
  ReverseConnections& operator=(const ReverseConnections&) = delete;
  ~ReverseConnections();

  /// For poll(): readable while one has arrived.
  [[nodiscard]] int fd() const noexcept { return arrived_.fd(); }
  /// The next that has arrived; null when there is none. One thread.
  [[nodiscard]] std::unique_ptr<TcpStream> take_now() noexcept;

 private:
  void run(const std::stop_token& stop) noexcept;
  [[nodiscard]] std::unique_ptr<TcpStream> open(const std::stop_token& stop);
  /// Whether the sender has spoken over it; false: it is closed, or all is over.
  [[nodiscard]] bool wait_for_words(const TcpStream& stream) const;

  std::vector<Endpoint> listeners_;
  Guarded<std::deque<std::unique_ptr<TcpStream>>> streams_;
  Wakeup arrived_;
  Wakeup stopped_;
  std::jthread thread_;
};

}  // namespace adoc
