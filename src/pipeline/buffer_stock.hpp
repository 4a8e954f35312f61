#pragma once

#include <cstddef>

#include "pipeline/bounded_queue.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// Buffers that go round between the stage that fills them and the one that empties them, so that
/// the steady state allocates nothing. How many there are is bounded by the FIFO they travel in.
class BufferStock {
 public:
  explicit BufferStock(std::size_t buffer_bytes) : buffer_bytes_(buffer_bytes) {}

  /// An empty buffer with room for `buffer_bytes`.
  [[nodiscard]] Bytes take() {
    if (auto buffer = free_.try_pop()) return *std::move(buffer);
    Bytes buffer;
    buffer.reserve(buffer_bytes_);
    return buffer;
  }

  /// Buffers of another size are let go: the stock stays as small as its items, and as useful.
  void give_back(Bytes buffer) {
    if (buffer.capacity() < buffer_bytes_ || buffer.capacity() > 2 * buffer_bytes_) return;
    buffer.clear();
    free_.push(std::move(buffer), 0);
  }

 private:
  const std::size_t buffer_bytes_;
  BoundedQueue<Bytes> free_{0};
};

}  // namespace adoc
