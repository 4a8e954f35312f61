#pragma once

#include <atomic>
#include <cstdint>

#include "util/live_time.hpp"

namespace adoc {

/// What the threads of a sender spend their time on, over all its connections: the parts of
/// Observation that they know themselves. Each is added to by who does it, read by any thread.
struct PipelineTimes {
  LiveTime sending;     ///< by the thread that communicates: since it has something to send
  LiveTime held_back;   ///< of it
  LiveTime reading;     ///< by the thread that reads, what follows included
  LiveTime answers;     ///< of it, waiting for what is wanted
  LiveTime connecting;  ///< by who makes a connection
  LiveTime walking;     ///< by the thread that offers
  LiveTime commits;     ///< by the same
  LiveTime finishing;   ///< since all was sent
  std::atomic<std::int64_t> sending_processor_ns{0};
  std::atomic<std::int64_t> reading_processor_ns{0};
  std::atomic<std::int64_t> making_ns{0};  ///< of all threads that compress
  std::atomic<std::int64_t> making_processor_ns{0};
};

}  // namespace adoc
