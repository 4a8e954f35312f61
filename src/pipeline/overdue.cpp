#include "pipeline/overdue.hpp"

#include <algorithm>

namespace adoc {
namespace {

/// What takes so many of the shortest round trips, and so much more, waits for other bytes, and not
/// for a processor. With 0.5 ms, first transfers at 10 Gbit/s on busy processors take 1.06 times as
/// long.
constexpr double kLateRoundTrips = 2;
constexpr std::int64_t kLateNs = 5'000'000;

/// Of what had been sent, so many samples are kept of that time.
constexpr std::int64_t kSamples = 64;

}  // namespace

std::uint64_t Overdue::see(std::int64_t at_ns, std::uint64_t sent_bytes,
                           std::uint64_t arrived_bytes, double round_trip_seconds) {
  if (round_trip_seconds <= 0) return 0;
  if (shortest_seconds_ == 0 || round_trip_seconds < shortest_seconds_)
    shortest_seconds_ = round_trip_seconds;
  const auto late_ns =
      kLateNs + static_cast<std::int64_t>(kLateRoundTrips * shortest_seconds_ * 1e9);
  if (sent_.empty() || at_ns - sent_.back().at_ns >= late_ns / kSamples)
    sent_.push_back({.at_ns = at_ns, .bytes = sent_bytes});
  while (sent_.size() > 1 && sent_[1].at_ns <= at_ns - late_ns) sent_.pop_front();
  const Sent& then = sent_.front();
  return then.at_ns > at_ns - late_ns ? 0 : then.bytes - std::min(then.bytes, arrived_bytes);
}

}  // namespace adoc
