#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "pipeline/queue_ends.hpp"

namespace adoc {

/// The queue between two stages. It holds items up to a total weight; whoever waits at either end
/// is woken when the other end closes it or fails.
///
/// All members may be called from any thread. Once fail() was called, push and pop throw what it
/// was given, so that a dying stage takes its neighbours along instead of leaving them asleep.
template <typename T>
class BoundedQueue : public QueueEnds {
 public:
  /// An item heavier than the capacity is let in when the queue is empty.
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Tells whether it had to wait for room. An item of weight 0 needs none. The queue must not be
  /// closed.
  bool push(T item, std::size_t weight = 1) {
    Lock lock = locked();
    rethrow_failure();
    const bool full = !fits(weight);
    if (full) wait_for_room(lock, [&] { return fits(weight); });
    put(std::move(item), weight);
    return full;
  }

  /// The same, but waits no longer than this: false when the time comes first, and the item is
  /// where it was.
  [[nodiscard]] bool push_until(T& item, std::size_t weight, Clock::time_point deadline) {
    Lock lock = locked();
    rethrow_failure();
    if (!wait_for_room_until(lock, deadline, [&] { return fits(weight); })) return false;
    put(std::move(item), weight);
    return true;
  }

  /// Waits until no more is inside than the capacity; false when the time comes first.
  [[nodiscard]] bool has_room_until(Clock::time_point deadline) {
    Lock lock = locked();
    rethrow_failure();
    return wait_for_room_until(lock, deadline, [&] { return weight_ <= capacity_; });
  }

  /// Waits for an item; none once the queue is closed and empty.
  [[nodiscard]] std::optional<T> pop() {
    Lock lock = locked();
    wait_for_items(lock, [&] { return closed() || !items_.empty(); });
    return take(true);
  }

  /// An item if there is one now.
  [[nodiscard]] std::optional<T> try_pop() {
    const Lock lock = locked();
    return take(true);
  }

  /// The item that was pushed last, if there is one: what is still in the processor's cache.
  [[nodiscard]] std::optional<T> try_pop_newest() {
    const Lock lock = locked();
    return take(false);
  }

  /// The first failure wins; the items are dropped.
  void fail(std::exception_ptr failure) noexcept {
    const Lock lock = locked();
    if (fail_first(std::move(failure))) items_.clear();
  }

  /// The weight inside: a snapshot.
  [[nodiscard]] std::size_t size() const {
    const Lock lock = locked();
    return weight_;
  }

 private:
  [[nodiscard]] bool fits(std::size_t weight) const noexcept {
    return weight == 0 || weight_ == 0 || weight_ + weight <= capacity_;
  }

  void put(T item, std::size_t weight) {
    items_.emplace_back(std::move(item), weight);
    weight_ += weight;
    put_items();
  }

  std::optional<T> take(bool oldest) {
    rethrow_failure();
    if (items_.empty()) return std::nullopt;
    auto& [item, weight] = oldest ? items_.front() : items_.back();
    std::optional<T> taken(std::move(item));
    weight_ -= weight;
    oldest ? items_.pop_front() : items_.pop_back();
    made_room();
    return taken;
  }

  const std::size_t capacity_;
  std::deque<std::pair<T, std::size_t>> items_;
  std::size_t weight_ = 0;
};

}  // namespace adoc
