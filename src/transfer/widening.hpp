#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include "adoc/error.hpp"
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
    /// A connection to the same receiver that has proven the key, which may take so long at most.
    /// Several threads at once. Throws Error.
    std::function<std::unique_ptr<SocketStream>(const std::stop_token&, std::chrono::milliseconds)>
        connect;
    Hello hello{};  ///< of this side
    /// Of a bundle that lasts: all connections are lost, or another one could not be made, which is
    /// why. Gives how long to wait before the next attempt; throws Error when there is to be none.
    /// `arrived` bytes had been acknowledged by then.
    std::function<std::chrono::milliseconds(const Error& why, std::uint64_t arrived)> on_lost{};
    std::function<void()> on_back{};  ///< there is one again
  };

  /// Throws Error(internal) when no descriptor is left.
  explicit Widening(Setup setup) : setup_(std::move(setup)) {}
  Widening(const Widening&) = delete;
  Widening& operator=(const Widening&) = delete;
  ~Widening();

  /// At most once. Begins a thread; where there is none for it, the transfer goes on without. Of a
  /// bundle that lasts it throws Error(internal) and std::bad_alloc instead.
  void begin(const StreamsOffer& offer);
  /// Tells a receiver that may wait for another connection of this transfer that none comes.
  void say_gone() noexcept;

 private:
  void widen(const std::stop_token& stop, std::size_t most);
  /// So many more; whether all of them have joined.
  [[nodiscard]] bool connect(const std::stop_token& stop, std::size_t count);
  [[nodiscard]] bool connect_one(const std::stop_token& stop) noexcept;
  [[nodiscard]] bool join_one(const std::stop_token& stop, bool replaces);
  [[nodiscard]] Bytes words_to_join(bool replaces) const;
  /// All connections of a bundle that lasts are lost, which is why: makes another one, as often as
  /// on_lost() lets it.
  void come_back(const std::stop_token& stop, std::exception_ptr why);

  Setup setup_;
  StreamToken token_{};
  Wakeup stopped_;
  std::jthread thread_;
};

}  // namespace adoc
