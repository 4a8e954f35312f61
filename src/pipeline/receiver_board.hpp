#pragma once

#include <atomic>

#include "control/policy.hpp"

namespace adoc {

/// What the receiver has said last of how it is doing: put there by the thread that hears it, read
/// by those that compress.
class ReceiverBoard {
 public:
  /// From its hello: so many threads decompress.
  void say_threads(std::size_t threads) noexcept {
    threads_.store(threads, std::memory_order_relaxed);
  }
  /// All but the threads.
  void tell(const ReceiverReport& report) noexcept {
    stalled_share_.store(report.stalled_share, std::memory_order_relaxed);
    stalled_seconds_.store(report.stalled_seconds, std::memory_order_relaxed);
    decompressing_seconds_.store(report.decompressing_seconds, std::memory_order_relaxed);
    writing_seconds_.store(report.writing_seconds, std::memory_order_relaxed);
    written_bytes_.store(report.written_bytes, std::memory_order_relaxed);
    // Last: whoever sees the time sees what was done in it.
    seconds_.store(report.seconds, std::memory_order_release);
  }
  /// What is told meanwhile may be in it in part.
  [[nodiscard]] ReceiverReport report() const noexcept {
    const double seconds = seconds_.load(std::memory_order_acquire);
    return {.threads = threads_.load(std::memory_order_relaxed),
            .stalled_share = stalled_share_.load(std::memory_order_relaxed),
            .seconds = seconds,
            .stalled_seconds = stalled_seconds_.load(std::memory_order_relaxed),
            .decompressing_seconds = decompressing_seconds_.load(std::memory_order_relaxed),
            .writing_seconds = writing_seconds_.load(std::memory_order_relaxed),
            .written_bytes = written_bytes_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::size_t> threads_{0};
  std::atomic<double> stalled_share_{0};
  std::atomic<double> seconds_{0};
  std::atomic<double> stalled_seconds_{0};
  std::atomic<double> decompressing_seconds_{0};
  std::atomic<double> writing_seconds_{0};
  std::atomic<double> written_bytes_{0};
};

}  // namespace adoc
