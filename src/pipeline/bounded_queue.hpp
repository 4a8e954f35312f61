#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace adoc {

/// The queue between two stages, and with LaneQueue the only place with a mutex. It holds items up
/// to a total weight; whoever waits at either end is woken when the other end closes it or fails.
///
/// All members may be called from any thread. Once fail() was called, push and pop throw what it
/// was given, so that a dying stage takes its neighbours along instead of leaving them asleep.
template <typename T>
class BoundedQueue {
 public:
  /// An item heavier than the capacity is let in when the queue is empty.
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. An item of weight 0 needs none. The queue must
  /// not be closed.
  void push(T item, std::size_t weight = 1) {
    std::unique_lock lock(mutex_);
    if (weight != 0 && weight_ != 0 && weight_ + weight > capacity_) {
      ++waiting_pushers_;
      room_.wait(lock, [&] { return failure_ || weight_ == 0 || weight_ + weight <= capacity_; });
      --waiting_pushers_;
    }
    rethrow_failure();
    items_.emplace_back(std::move(item), weight);
    weight_ += weight;
    if (waiting_poppers_ != 0) filled_.notify_one();
  }

  /// Waits for an item; none once the queue is closed and empty.
  [[nodiscard]] std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    ++waiting_poppers_;
    filled_.wait(lock, [&] { return failure_ || closed_ || !items_.empty(); });
    --waiting_poppers_;
    return take_front();
  }

  /// An item if there is one now.
  [[nodiscard]] std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return take_front();
  }

  /// The item that was pushed last, if there is one: what is still in the processor's cache.
  [[nodiscard]] std::optional<T> try_pop_newest() {
    const std::lock_guard lock(mutex_);
    rethrow_failure();
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.back().first));
    weight_ -= items_.back().second;
    items_.pop_back();
    if (waiting_pushers_ != 0) room_.notify_all();
    return item;
  }

  /// No more items come; those inside can still be popped.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    filled_.notify_all();
  }

  /// The first failure wins; the items are dropped.
  void fail(std::exception_ptr failure) noexcept {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    failure_ = std::move(failure);
    items_.clear();
    room_.notify_all();
    filled_.notify_all();
  }

  /// The weight inside: a snapshot.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return weight_;
  }

 private:
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  std::optional<T> take_front() {
    rethrow_failure();
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front().first));
    weight_ -= items_.front().second;
    items_.pop_front();
    // All, not one: the waiting items differ in weight, and the one that fits must wake.
    if (waiting_pushers_ != 0) room_.notify_all();
    return item;
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable filled_;
  std::deque<std::pair<T, std::size_t>> items_;
  std::size_t weight_ = 0;
  std::size_t waiting_pushers_ = 0;
  std::size_t waiting_poppers_ = 0;
  bool closed_ = false;
  std::exception_ptr failure_;
};

}  // namespace adoc
