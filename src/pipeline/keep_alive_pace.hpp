#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "util/clock.hpp"
#include "wire/hello.hpp"

namespace adoc {

/// After how long a silence this side says that it is there. Set by the thread that hears the
/// peer's hello, read by the one that communicates.
class KeepAlivePace {
 public:
  /// As often as the peer asks for; never, if it does not.
  void follow(const Hello& peer) noexcept {
    if (!peer.has(Feature::keep_alive) || peer.patience_ms == 0) return;
    interval_ms_.store(std::clamp(peer.patience_ms / kInPatience, kLeastMs, kMostMs),
                       std::memory_order_relaxed);
  }

  /// None: never.
  [[nodiscard]] std::optional<Clock::duration> interval() const noexcept {
    const std::uint32_t ms = interval_ms_.load(std::memory_order_relaxed);
    if (ms == 0) return std::nullopt;
    return std::chrono::milliseconds(ms);
  }

 private:
  /// One that is late is not yet missed.
  static constexpr std::uint32_t kInPatience = 4;
  /// However little patience a peer claims to have, it gets no flood.
  static constexpr std::uint32_t kLeastMs = 100;
  static constexpr std::uint32_t kMostMs = 3'000;

  std::atomic<std::uint32_t> interval_ms_{0};
};

}  // namespace adoc
