#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include "io/stream_bundle.hpp"
#include "util/wakeup.hpp"
#include "wire/hello.hpp"
#include "wire/streams.hpp"

namespace adoc {

/// Has further connections join the one of a sender, once its receiver allows that, and others in
/// the place of those that are lost.
class Widening {
 public:
  /// What was seen of the losses of a path.
  struct Looked {
    bool is_another = false;   ///< the path has become another one by what was done about them
    bool loss_limits = false;  ///< as StreamCount::Sample
  };
  struct Setup {
    StreamBundle& bundle;
    std::size_t streams = 1;  ///< to be there at once, the first included; 0: what StreamCount says
    /// Called now and then, on a long path, by the thread that looks after the connections: whether
    /// what is sent waits in a queue on its way.
    std::function<Looked(bool is_full)> on_look{};
    /// Called by that thread with the number of connections, as Observer::on_connections().
    std::function<void(std::size_t)> on_connections{};
    /// A connection to the same receiver that has proven the key. Several threads at once. Throws
    /// Error.
    std::function<std::unique_ptr<SocketStream>(const std::stop_token&)> connect;
    Hello hello{};  ///< of this side
  };

  /// Throws Error(internal) when no descriptor is left.
  explicit Widening(Setup setup) : setup_(std::move(setup)) {}
  Widening(const Widening&) = delete;
  Widening& operator=(const Widening&) = delete;
  ~Widening();

  /// At most once. Begins a thread; where there is none for it, the transfer goes on without.
  void begin(const StreamsOffer& offer) noexcept;

 private:
  void widen(const std::stop_token& stop, std::size_t most);
  /// So many more; whether all of them have joined.
  [[nodiscard]] bool connect(const std::stop_token& stop, std::size_t count);
  [[nodiscard]] bool connect_one(const std::stop_token& stop) noexcept;

  Setup setup_;
  StreamToken token_{};
  Wakeup stopped_;
  std::jthread thread_;
};

}  // namespace adoc
