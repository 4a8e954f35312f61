#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "adoc/key.hpp"
#include "adoc/options.hpp"
#include "io/poll_set.hpp"
#include "io/socket_stream.hpp"
#include "io/tcp_listener.hpp"
#include "io/tls_stream.hpp"
#include "util/bytes.hpp"
#include "wire/hello.hpp"

namespace adoc {

/// Finds a direct connection between two processes that have a fresh key and some slower way to
/// talk. Both listen, and both try to connect to the other, because a firewall or an address
/// translation on one side may let through one direction alone. The one that sends takes the first
/// connection over which the other has proven to have the key; the one that receives takes the one
/// over which the sender speaks, which may be the slower way. Used by one thread.
class Rendezvous {
 public:
  /// Listens on a free port of all addresses where it can.
  Rendezvous(const Key& key, Role role);
  ~Rendezvous();

  /// The port that the other side is to be told; 0: it cannot connect to this one.
  [[nodiscard]] std::uint16_t port() const noexcept;

  /// Nothing can be found any more, and nobody connects to this side.
  void close() noexcept { listener_.reset(); }

  /// What meet() needs and takes a few milliseconds, while there is something else to wait for.
  void prepare();

  struct Setup {
    std::vector<Endpoint> targets{};       ///< of the other side, in numbers; others are left out
    std::chrono::milliseconds patience{};  ///< from now on
    /// What of the slower way can be polled: what comes there ends the search of a receiver.
    int slower_way = -1;
    std::stop_token stop{};
  };
  struct Meeting {
    std::unique_ptr<SocketStream> stream{};  ///< null: the slower way it is
    Bytes heard{};                           ///< what the sender has said already
    bool arrived = false;                    ///< the other side has connected to this one
  };
  /// May be called again when what it found is lost. Throws Error(interrupted) on a stop request.
  [[nodiscard]] Meeting meet(const Setup& setup);

  /// Where further connections come while the one that was found is used; null: nowhere.
  [[nodiscard]] TcpListener* listener() noexcept { return listener_ ? &*listener_ : nullptr; }
  /// Of both directions; once meet() was called.
  [[nodiscard]] const TlsContext& context() const { return context_.value(); }

 private:
  struct Candidate;
  void connect_to(const Endpoint& target);
  void take_arrivals();
  /// True once it is the one.
  [[nodiscard]] bool attend(Candidate& candidate, short happened, Bytes& heard);
  [[nodiscard]] bool proceed(Candidate& candidate, Bytes& heard);

  Key key_;
  Role role_;
  std::optional<TlsContext> context_;
  std::optional<TcpListener> listener_;
  std::vector<std::unique_ptr<Candidate>> candidates_;
};

}  // namespace adoc
