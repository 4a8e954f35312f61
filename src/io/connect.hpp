#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "adoc/observer.hpp"
#include "adoc/options.hpp"
#include "io/address.hpp"
#include "io/tcp_stream.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// Whom to connect to, and for how long to try.
struct ConnectTo {
  Endpoint peer;
  std::chrono::milliseconds limit{};  ///< for the name, and again for a connection; 0: the system's
  std::stop_token stop{};
  std::function<void(const Connecting&)> tell{};  ///< may be empty; called by the calling thread
};

/// Connects to one address of a name after the other until somebody is content. One that does not
/// answer costs a quarter of a second: then the next is tried as well, of the other IP family where
/// there is one, and the first that answers wins (RFC 8305, "Happy Eyeballs").
class Connector {
 public:
  /// Looks the name up. Throws Error(connect), and Error(interrupted) on a stop request.
  explicit Connector(const ConnectTo& to);
  /// To addresses that are known.
  Connector(const ConnectTo& to, std::vector<Address> addresses);

  /// A connection to an address that has not been given or found dead before; all others that were
  /// begun are closed. Throws Error(connect) that says of each address why, and what to look at,
  /// Error(interrupted) on a stop request.
  [[nodiscard]] std::unique_ptr<TcpStream> next();

  /// Whether next() has an address left.
  [[nodiscard]] bool has_more() const;

 private:
  class Race;
  struct Candidate {
    Address address;
    std::optional<int> outcome{};  ///< 0: connected; the errno; none: may be tried

    [[nodiscard]] bool may_be_tried() const noexcept { return !outcome; }
  };

  void take(std::vector<Address> addresses);
  [[nodiscard]] Error unreachable() const;

  const ConnectTo& to_;
  Wakeup stopped_;
  std::stop_callback<std::function<void()>> on_stop_;
  std::vector<Candidate> candidates_;
};

/// The step that ends connecting, once the connection is good for what it is wanted for.
void tell_connected(const ConnectTo& to, const TcpStream& stream);

/// The first connection of a Connector.
[[nodiscard]] std::unique_ptr<TcpStream> connect_tcp(const ConnectTo& to);

}  // namespace adoc
