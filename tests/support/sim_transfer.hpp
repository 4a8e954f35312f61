#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/scheduler.hpp"
#include "support/sim_parts.hpp"

namespace adoc::sim {

/// How often the policy sees the link while a block is made, as CompressStage does with its
/// packets.
inline constexpr double kObserveSeconds = 5e-3;

/// How often a worker that yields looks what has arrived.
inline constexpr double kYieldSeconds = 1e-3;

/// As of a TCP connection.
inline constexpr double kClearlyQueuedSeconds = 5e-3;

/// A simulated transfer: workers that do what the scheduler says, and what flows between them, the
/// link and the receiver.
class Transfer {
 public:
  Transfer(const Setup& setup, Policy& policy)
      : setup_(setup),
        scheduler_({.ladder = *setup.ladder,
                    .policy = policy,
                    .workers = setup.threads,
                    .memory_bytes = setup.memory_bytes}),
        maker_(setup),
        workers_(setup.threads),
        decompressors_(setup.receiver_threads),
        reporter_(setup.receiver_threads),
        report_{.threads = setup.receiver_threads} {
    for (const Section& section : setup.data) left_ += std::floor(section.bytes);
    section_left_ = setup.data.empty() ? 0 : std::floor(setup.data.front().bytes);
    follow_link();
    head_ = blocks_.end();
    arriving_ = blocks_.end();
  }

  [[nodiscard]] Outcome run() {
    for (;;) {
      for (Worker& worker : workers_) start(worker);
      if (finished() || now_ > setup_.limit_seconds) break;
      set_rates();
      advance(next_event());
      settle();
    }
    outcome_.seconds = now_;
    outcome_.wire_bytes = drained_;
    return std::move(outcome_);
  }

 private:
  // What of the queue can leave, and all of it.
  [[nodiscard]] double ready() const {
    return closed_wire_ + (head_ != blocks_.end() ? head_->produced() : 0);
  }
  [[nodiscard]] double sent() const {
    return std::min(ready(), std::max(taken_, drained_ + way_bytes() + kernel_bytes_));
  }
  // Of that, what has left the machine: it has arrived, or waits in a queue on its way.
  [[nodiscard]] double departed() const {
    return std::min(sent(), std::max(departed_, drained_ + way_bytes()));
  }
  // Of that, what is known to wait in the queue on its way: none in a slow start.
  [[nodiscard]] double overdue() const {
    if (setup_.round_trip_seconds <= 0) return departed() - drained_;
    if (link_step_ != 0 && setup_.link[link_step_ - 1].slow_start) return 0;
    return std::max(0.0, known_departed_ - known_drained_);
  }
  [[nodiscard]] double way_bytes() const { return setup_.way_seconds * link_rate(); }
  [[nodiscard]] double queue_seconds() const {
    const double bytes = departed() - drained_;
    return bytes > kClearlyQueuedSeconds * link_rate() ? bytes / link_rate() : 0;
  }
  [[nodiscard]] bool in_slow_start() const {
    return link_step_ != 0 && setup_.link[link_step_ - 1].slow_start && queue_seconds() <= 0;
  }
  [[nodiscard]] double queued() const {
    double lanes = 0;
    for (auto block = head_; block != blocks_.end(); ++block) lanes += block->produced();
    return closed_wire_ + lanes - sent();
  }
  [[nodiscard]] double fifo_packets() const { return std::ceil(queued() / setup_.packet_bytes); }
  [[nodiscard]] double link_rate() const {
    return link_step_ == 0 ? 0 : setup_.link[link_step_ - 1].bytes_per_second;
  }
  void follow_link() {
    while (link_step_ < setup_.link.size() && setup_.link[link_step_].at_seconds <= now_)
      ++link_step_;
  }
  // As far as this side knows.
  [[nodiscard]] double known_drained() const {
    return setup_.round_trip_seconds > 0 ? known_drained_ : drained_;
  }
  // What has arrived counts as far as the receiver goes on with it.
  [[nodiscard]] double received_raw() const {
    constexpr double kMostHeldBytes = 16 << 20;  // of a thread
    const double held = kMostHeldBytes * static_cast<double>(setup_.receiver_threads + 1);
    double arrived = arrived_raw_;
    if (arriving_ != blocks_.end() && arriving_->wire > 0)
      arrived += arriving_->raw * std::min(1.0, (drained_ - arrived_wire_) / arriving_->wire);
    return std::min(arrived, report_.written_bytes + held);
  }
  [[nodiscard]] double received() const { return drained_ - written_wire_; }
  [[nodiscard]] bool finished() const {
    return left_ <= 0 && blocks_.empty() &&
           std::all_of(decompressors_.begin(), decompressors_.end(),
                       [](const Decompressor& d) { return d.state == Decompressor::State::idle; });
  }

  [[nodiscard]] LinkState state() const {
    return {.seconds = now_,
            .sent_bytes = static_cast<std::uint64_t>(departed()),
            .arrived_bytes = static_cast<std::uint64_t>(known_drained()),
            .unsent_bytes = static_cast<std::uint64_t>(sent() - departed()),
            .ready_bytes = static_cast<std::uint64_t>(ready() - departed()),
            .queued_bytes = static_cast<std::uint64_t>(queued() + sent() - departed()),
            .fifo_packets = static_cast<std::size_t>(fifo_packets()),
            .overdue_bytes = static_cast<std::uint64_t>(overdue()),
            .in_slow_start = in_slow_start(),
            .left_bytes = left_bytes(),
            .takes_dense = setup_.dense,
            .receiver = report_};
  }

  [[nodiscard]] std::optional<std::uint64_t> left_bytes() const {
    if (!setup_.size_known) return std::nullopt;
    return static_cast<std::uint64_t>(std::max(0.0, left_));
  }

  [[nodiscard]] bool has_room() const { return queued() < setup_.fifo_bytes; }

  // What the workers do: sim_workers.cpp.
  void start(Worker& worker);
  [[nodiscard]] bool waits(const Worker& worker) const;
  void take(Worker& worker, const Scheduler::Yield& yield);
  void take(Worker& worker, Scheduler::Wait wait) { worker.wait = wait; }
  void take(Worker& worker, Scheduler::Ended) { worker.ended = true; }
  void take(Worker& worker, const Scheduler::Read& job);
  Block begin(Scheduler::Ticket ticket, const Kind& kind, const SampleStats& stats, double offset,
              double raw);
  std::list<Block>::iterator append(const Block& block);
  void finish(Worker& worker);
  void keep_lane(Worker& worker, std::list<Block>::iterator block);
  void close(std::list<Block>::iterator block);
  void learn(const Block& block);
  void cut(Worker& worker);
  void reconsider(Worker& worker);

  // What flows: sim.cpp.
  void set_rates();
  [[nodiscard]] bool working(std::list<Block>::iterator block) const {
    return block != blocks_.end() && block->open;
  }

  double next_event();
  void advance(double dt);
  void settle();
  void settle_arrivals();
  void settle(Decompressor& d);
  void take();

  const Setup& setup_;
  Scheduler scheduler_;
  BlockMaker maker_;
  std::vector<Worker> workers_;
  std::vector<double> left_alone_;  // core seconds left, of work that was given up
  std::vector<Decompressor> decompressors_;
  std::list<Block> blocks_;  // not yet arrived, in order
  std::list<Block>::iterator head_;
  std::list<Block>::iterator arriving_;
  std::deque<Block> arrived_;
  Reporter reporter_;
  ReceiverReport report_;
  Outcome outcome_{};
  std::vector<double> demands_, receiver_demands_;
  double now_ = 0;
  std::size_t link_step_ = 0;  // those before it have begun
  struct Told {
    double at = 0;
    double drained = 0;
    double departed = 0;
  };
  std::deque<Told> on_the_way_;  // until it is known of
  double known_drained_ = 0;
  double known_departed_ = 0;  // at the same moment
  double read_ = 0;
  double left_ = 0;
  std::size_t section_ = 0;
  double section_left_ = 0;
  double closed_wire_ = 0;   // of all blocks before the head
  double drained_ = 0;       // by the link
  double arrived_wire_ = 0;  // in whole blocks
  double arrived_raw_ = 0;   // the same
  double written_wire_ = 0;
  double disk_free_ = 0;
  double observed_ = 0;
  double taken_ = 0;     // by the system, at least
  double departed_ = 0;  // of these, at least
  double kernel_bytes_ = kFirstKernelBytes;

  // Until the next event.
  double share_ = 1, receiver_share_ = 1;
  double full_rate_ = 0, production_ = 0, drain_ = 0;
  double dry_since_ = kNever;
  bool dry_ = true, head_waits_ = false, stalls_ = false, waits_ = false;
};

}  // namespace adoc::sim
