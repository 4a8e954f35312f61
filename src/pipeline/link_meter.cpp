#include "pipeline/link_meter.hpp"

#include <algorithm>

namespace adoc {

namespace {

/// What has arrived is asked for no more often: it is a system call, and a rate needs longer.
constexpr std::int64_t kAskNs = 100'000;
/// To ask while the system is given bytes is to wait for it; done when what is known is older than
/// this.
constexpr std::int64_t kAskAnywayNs = 1'000'000;

}  // namespace

void LinkMeter::ask() {
  const std::int64_t known_ns = clock_ns() - asked_at_ns_.load(std::memory_order_relaxed);
  if (known_ns < kAskNs) return;
  if (known_ns < kAskAnywayNs && setup_.stream != nullptr && setup_.stream->delivery_waits())
    return;
  if (asking_.exchange(true, std::memory_order_acquire)) return;
  const std::uint64_t taken = setup_.counters.wire_bytes.load(std::memory_order_relaxed);
  const auto told = setup_.stream != nullptr ? setup_.stream->delivery() : std::nullopt;
  const Delivery delivery = told.value_or(Delivery{.arrived_bytes = taken});
  const std::uint64_t unsent = std::min(taken, delivery.unsent_bytes);
  sends_.store(unsent != 0 || delivery.queue_seconds > 0, std::memory_order_relaxed);
  // Unsent bytes may have been taken since `taken` was read, and TLS adds some to them.
  const Told before = *told_.lock();
  const std::uint64_t sent = std::max(before.sent_bytes, taken - unsent);
  const std::uint64_t arrived =
      std::max(before.arrived_bytes, std::min(sent, delivery.arrived_bytes));
  const std::int64_t now = clock_ns();
  const std::uint64_t overdue =
      overdue_.see(now, sent, arrived + delivery.ahead_bytes, delivery.round_trip_seconds);
  const double held_back = setup_.counters.times.held_back.seconds(now);
  *told_.lock() = {.at_ns = now,
                   .sent_bytes = sent,
                   .arrived_bytes = arrived,
                   .unsent_bytes = unsent,
                   .overdue_bytes = overdue,
                   .held_back_seconds = held_back,
                   .held_back = held_back > before.held_back_seconds,
                   .delivery = delivery};
  asked_at_ns_.store(now, std::memory_order_relaxed);
  asking_.store(false, std::memory_order_release);
}

LinkState LinkMeter::state() {
  const std::int64_t now = clock_ns();
  seen_at_ns_.store(now, std::memory_order_relaxed);
  return peek(now);
}

LinkState LinkMeter::peek(std::int64_t now_ns) const {
  const Told told = *told_.lock();
  const std::uint64_t taken = setup_.counters.wire_bytes.load(std::memory_order_relaxed);
  return {.seconds = static_cast<double>(now_ns - begin_ns_) * 1e-9,
          .age_seconds = static_cast<double>(now_ns - told.at_ns) * 1e-9,
          .sent_bytes = told.sent_bytes,
          .arrived_bytes = told.arrived_bytes,
          .unsent_bytes = told.unsent_bytes,
          .ready_bytes = setup_.fifo.ready_bytes() + taken - told.sent_bytes,
          .queued_bytes = setup_.fifo.bytes() + taken - told.sent_bytes,
          .fifo_packets = setup_.fifo.size(),
          .overdue_bytes = told.overdue_bytes,
          .held_back = told.held_back,
          .in_slow_start = told.delivery.in_slow_start,
          .carrying_seconds_per_byte = told.delivery.carrying_seconds_per_byte,
          .receiver = setup_.receiver.report()};
}

}  // namespace adoc
