#pragma once

#include <cstdint>
#include <deque>

namespace adoc {

/// How many bytes are on their way for clearly longer than a round trip takes: they wait in a queue
/// there. They show it sooner than TCP's mean of round trips, which changes only when something
/// arrives. One thread at a time.
class Overdue {
 public:
  /// At this time so much had left this machine, and so much of it is known to have arrived. Gives
  /// the bytes that are overdue; none where no round trip is known, which is 0.
  [[nodiscard]] std::uint64_t see(std::int64_t at_ns, std::uint64_t sent_bytes,
                                  std::uint64_t arrived_bytes, double round_trip_seconds);

 private:
  struct Sent {
    std::int64_t at_ns = 0;
    std::uint64_t bytes = 0;
  };

  double shortest_seconds_ = 0;  ///< of the round trips so far
  std::deque<Sent> sent_;        ///< the first long enough ago, if any is
};

}  // namespace adoc
