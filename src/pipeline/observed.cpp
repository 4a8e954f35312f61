#include "pipeline/observed.hpp"

#include <algorithm>
#include <cstdint>

#include "util/clock.hpp"

namespace adoc {

namespace {

/// Of a sum of what a peer may have made up.
std::uint64_t whole(double bytes) {
  return static_cast<std::uint64_t>(std::clamp(bytes, 0.0, 0x1p63));
}

}  // namespace

Observation observation(const Observation& before, const Observed& now) {
  const auto& [times, link, delivery, link_price] = now;
  const std::int64_t at = clock_ns();
  const auto sum = [](const std::atomic<std::int64_t>& ns) {
    return static_cast<double>(ns.load(std::memory_order_relaxed)) * 1e-9;
  };
  const double answers = times.answers.seconds(at);
  const double reading = times.reading.seconds(at) - answers - sum(times.reading_processor_ns);
  const ReceiverReport& receiver = link.receiver;
  return {.time_seconds = before.time_seconds + link.seconds,
          .arrived_bytes = before.arrived_bytes + link.arrived_bytes,
          .queued_bytes = link.queued_bytes,
          .link_price = link_price,
          .streams = delivery.connections,
          .sending_seconds = times.sending.seconds(at),
          .sending_processor_seconds = sum(times.sending_processor_ns),
          .held_back_seconds = times.held_back.seconds(at),
          .receive_window_seconds = before.receive_window_seconds + delivery.receive_window_seconds,
          .send_buffer_seconds = before.send_buffer_seconds + delivery.send_buffer_seconds,
          .round_trip_seconds = delivery.round_trip_seconds,
          .retransmitted_bytes = before.retransmitted_bytes + delivery.retransmitted_bytes,
          .source_seconds = std::max(0.0, reading),
          .answer_seconds = times.connecting.seconds(at) + answers,
          .walking_seconds = times.walking.seconds(at),
          .commit_seconds = times.commits.seconds(at),
          .making_seconds = sum(times.making_ns),
          .making_processor_seconds = sum(times.making_processor_ns),
          .finishing_seconds = times.finishing.seconds(at),
          .receiver_seconds = before.receiver_seconds + receiver.seconds,
          .receiver_stalled_seconds = before.receiver_stalled_seconds + receiver.stalled_seconds,
          .decompressing_seconds = before.decompressing_seconds + receiver.decompressing_seconds,
          .writing_seconds = before.writing_seconds + receiver.writing_seconds,
          .written_bytes = before.written_bytes + whole(receiver.written_bytes)};
}

}  // namespace adoc
