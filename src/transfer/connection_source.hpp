#pragma once

#include <memory>
#include <stop_token>

#include "adoc/error.hpp"
#include "io/socket_stream.hpp"

namespace adoc {

/// Where a sender has its connections from, one after the other. Used by the thread of
/// Sender::run().
class ConnectionSource {
 public:
  virtual ~ConnectionSource() = default;

  /// Whether there may be another one after the one that was lost.
  [[nodiscard]] virtual bool has_more() const = 0;
  /// The latest one is lost, and another one is wanted: the other end is told if there is a way to.
  /// next() may follow much later. What fails here next() throws.
  virtual void tell_lost(const std::stop_token& stop) { static_cast<void>(stop); }
  /// Those before are gone. `attempt` is 0 for the first one, then counts those since anything was
  /// got across. What it throws ends the transfer.
  [[nodiscard]] virtual std::unique_ptr<Stream> next(unsigned attempt,
                                                     const std::stop_token& stop) = 0;

  /// Whether the latest one can have others beside it.
  [[nodiscard]] virtual bool has_others() const { return false; }
  /// One of them, to the same receiver. Several threads at once, while the latest one is used.
  /// Throws Error.
  [[nodiscard]] virtual std::unique_ptr<SocketStream> another(const std::stop_token& stop) {
    static_cast<void>(stop);
    throw Error(ErrorKind::internal, "this connection has no others");
  }
};

}  // namespace adoc
