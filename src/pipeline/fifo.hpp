#pragma once

#include <atomic>
#include <cstdint>

#include "pipeline/buffer_stock.hpp"
#include "pipeline/lane_queue.hpp"
#include "pipeline/pipeline_times.hpp"
#include "util/clock.hpp"

namespace adoc {

/// The FIFO of Jeannot 2002, Fig. 1: whole frames on their way to the stream, each block in a lane
/// of its own. Only packets have weight, so that its size() is the paper's fifo_size, "the number
/// of non empty packets"; the few control frames between them pass without waiting, bounded by the
/// batches in flight. Of what is said again and again only the latest is inside.
using Fifo = LaneQueue<Buffer>;

/// What the stages of one connection count, for the policy, progress and statistics; relaxed, read
/// by any thread.
struct PipelineCounters {
  std::atomic<std::uint64_t> raw_bytes{0};
  std::atomic<std::uint64_t> wire_bytes{0};  ///< taken by the system, or come from it
  std::atomic<int> level{0};
  PipelineTimes times{};
};

}  // namespace adoc
