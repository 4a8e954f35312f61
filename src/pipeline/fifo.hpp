#pragma once

#include <atomic>
#include <cstdint>

#include "pipeline/bounded_queue.hpp"
#include "pipeline/buffer_stock.hpp"

namespace adoc {

/// The FIFO of Jeannot 2002, Fig. 1: whole frames on their way to the stream. Only packets have
/// weight, so that its size() is the paper's fifo_size, "the number of non empty packets"; the few
/// control frames between them pass without waiting, bounded by the batches in flight.
using Fifo = BoundedQueue<Bytes>;

/// What the stages of one connection count, for progress and statistics; relaxed, each written by
/// one thread and read by any.
struct PipelineCounters {
  std::atomic<std::uint64_t> raw_bytes{0};
  std::atomic<std::uint64_t> wire_bytes{0};
  std::atomic<int> level{0};
};

}  // namespace adoc
