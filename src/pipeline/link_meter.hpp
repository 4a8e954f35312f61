#pragma once

#include <atomic>
#include <cstdint>

#include "control/policy.hpp"
#include "io/stream.hpp"
#include "pipeline/fifo.hpp"
#include "pipeline/overdue.hpp"
#include "pipeline/receiver_board.hpp"
#include "util/guarded.hpp"

namespace adoc {

/// What is known at a moment of where the bytes go, from all that knows something of it. Any
/// thread.
///
/// The buffers of the system and of the link take a megabyte at once, whatever the link's rate:
/// only what has arrived shows it, and what our system still holds waits like what is in the FIFO.
class LinkMeter {
 public:
  struct Setup {
    const Fifo& fifo;
    const PipelineCounters& counters;
    const ReceiverBoard& receiver;
    const Stream* stream = nullptr;  ///< null: what the system has taken counts as arrived
  };

  explicit LinkMeter(const Setup& setup) : setup_(setup) {}

  /// Asks the stream what has arrived if that is due and nobody else does: a system call, so no
  /// lock is to be held.
  void ask();

  /// As asked last, and what the FIFO has now. Two of them by one thread after the other never go
  /// back in time. For whom the policy is told by: unseen_ns() counts from here.
  [[nodiscard]] LinkState state();
  /// The same for anybody else.
  [[nodiscard]] LinkState peek() const { return peek(clock_ns()); }
  /// As asked last, and as the stream tells it.
  [[nodiscard]] Delivery delivery() const { return told_.lock()->delivery; }

  /// Whether the link has something to send, as the stream said last.
  [[nodiscard]] bool sends() const noexcept { return sends_.load(std::memory_order_relaxed); }
  /// Nanoseconds since state() was asked last.
  [[nodiscard]] std::int64_t unseen_ns() const noexcept {
    return clock_ns() - seen_at_ns_.load(std::memory_order_relaxed);
  }

 private:
  struct Told {
    std::int64_t at_ns = 0;           ///< when it was asked for
    std::uint64_t sent_bytes = 0;     ///< left this machine
    std::uint64_t arrived_bytes = 0;  ///< at the other one
    std::uint64_t unsent_bytes = 0;   ///< with our system
    std::uint64_t overdue_bytes = 0;  ///< LinkState's
    double held_back_seconds = 0;
    bool held_back = false;  ///< since it was asked for before
    Delivery delivery{};
  };

  [[nodiscard]] LinkState peek(std::int64_t now_ns) const;

  Setup setup_;
  const std::int64_t begin_ns_ = clock_ns();
  std::atomic<std::int64_t> asked_at_ns_{0};
  std::atomic<bool> asking_{false};
  Overdue overdue_;  ///< who asks has it
  Guarded<Told> told_{Told{.at_ns = begin_ns_}};
  std::atomic<std::int64_t> seen_at_ns_{begin_ns_};
  std::atomic<bool> sends_{false};
};

}  // namespace adoc
