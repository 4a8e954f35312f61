#pragma once

#include <cstdint>
#include <deque>

namespace adoc {

/// Of what is on its way, what has been for clearly longer than a round trip takes: it waits in a
/// queue there. That shows before TCP's mean of round trips does, which only what has arrived
/// moves. One thread at a time.
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
