#pragma once

#include <algorithm>
#include <chrono>

#include "io/stream.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/keep_alive_pace.hpp"
#include "transfer/peer_error.hpp"
#include "wire/frame.hpp"
#include "wire/keep_alive.hpp"

namespace adoc {

/// What --timeout means for one connection. 0: whoever is silent is waited for.
class Liveness {
 public:
  using Limit = std::chrono::milliseconds;

  explicit Liveness(Limit timeout) noexcept : timeout_(timeout) {}

  /// This side's, with its patience.
  [[nodiscard]] Hello hello(Role role) const noexcept {
    return {.role = role, .patience_ms = static_cast<std::uint32_t>(timeout_.count())};
  }

  /// How long the peer's hello may take.
  [[nodiscard]] Limit hello_limit() const noexcept {
    return timeout_.count() == 0 ? kHelloTimeout : std::min<Limit>(kHelloTimeout, timeout_);
  }

  /// Once the peer's hello is here: from now on its silence is noticed, and it never has to wonder
  /// about ours. A peer that does not know how is watched by the system alone. For the thread that
  /// reads; `fifo` is what this side sends.
  void begin(const Hello& peer, Stream& stream, Fifo& fifo) {
    if (!peer.has(Feature::keep_alive)) return;
    stream.set_silence_limit(timeout_);
    pace_.follow(peer);
    // Wakes the thread that communicates: it may already wait for the next frame without a limit.
    if (pace_.interval()) fifo.push(encode_frame(KeepAlive{}));
  }

  /// For the thread that communicates.
  [[nodiscard]] const KeepAlivePace& pace() const noexcept { return pace_; }

 private:
  Limit timeout_;
  KeepAlivePace pace_;
};

}  // namespace adoc
