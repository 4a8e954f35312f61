#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

#include "pipeline/bounded_queue.hpp"
#include "util/buffer.hpp"

namespace adoc {

/// Buffers that go round between the stages that fill them and those that empty them, so that the
/// steady state allocates nothing. How many are under way is bounded by the queues they travel in;
/// this bounds those that rest. Any thread.
class BufferStock {
 public:
  explicit BufferStock(std::size_t most_resting_bytes = std::size_t{24} << 20)
      : most_resting_bytes_(most_resting_bytes) {}

  /// An empty buffer with room for `bytes`.
  [[nodiscard]] Buffer take(std::size_t bytes) {
    const std::size_t size_class = class_of(std::bit_ceil(bytes));
    if (auto buffer = free_.at(size_class).try_pop_newest()) {
      resting_bytes_ -= buffer->capacity();
      buffer->clear();
      return *std::move(buffer);
    }
    Buffer buffer;
    buffer.reserve(std::bit_ceil(bytes));
    return buffer;
  }

  void give_back(Buffer buffer) noexcept {
    const std::size_t bytes = buffer.capacity();
    // That of a record, which is as long as that: nobody takes it again.
    const bool is_record = bytes < kMostRecordBytes && !std::has_single_bit(bytes);
    if (bytes < kLeastBytes || is_record || resting_bytes_ + bytes > most_resting_bytes_) return;
    resting_bytes_ += bytes;
    try {
      free_.at(class_of(std::bit_floor(bytes))).push(std::move(buffer), 0);
    } catch (const std::bad_alloc&) {
      // No room to remember it.
      resting_bytes_ -= bytes;
    }
  }

 private:
  /// Smaller ones are as quickly allocated as found here.
  static constexpr std::size_t kLeastBytes = 1'024;
  static constexpr std::size_t kMostRecordBytes = 64 << 10;

  static std::size_t class_of(std::size_t power_of_two) noexcept {
    return static_cast<std::size_t>(std::countr_zero(power_of_two));
  }

  const std::size_t most_resting_bytes_;
  std::array<BoundedQueue<Buffer>, 40> free_{make_queues(std::make_index_sequence<40>())};
  std::atomic<std::size_t> resting_bytes_{0};

  template <std::size_t... kIndex>
  static std::array<BoundedQueue<Buffer>, sizeof...(kIndex)> make_queues(
      std::index_sequence<kIndex...>) {
    return {((void)kIndex, BoundedQueue<Buffer>(0))...};
  }
};

}  // namespace adoc
