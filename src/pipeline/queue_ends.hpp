#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>

#include "adoc/error.hpp"
#include "util/clock.hpp"

namespace adoc {

/// What the queues have in common: one lock, producers that wait for room, consumers that wait for
/// items, an end, and a failure that wakes both.
class QueueEnds {
 public:
  /// Waits for that time; throws the failure as soon as there is one.
  void pause_until(Clock::time_point time) {
    Lock lock = locked();
    // Not counted as a consumer: what producers put in is no reason to wake.
    filled_.wait_until(lock, time, [&] { return failure_ != nullptr; });
    rethrow_failure();
  }

  /// Throws the failure, if there is one.
  void throw_failure() const {
    const Lock lock = locked();
    rethrow_failure();
  }

  /// Waits for the failure, and throws it: for whoever can do nothing more, and is not the cause.
  [[noreturn]] void wait_for_failure() {
    pause_until(Clock::time_point::max());
    throw Error(ErrorKind::internal, "a failure that was waited for never came");
  }

  /// No more items come; those inside can still be taken.
  void close() {
    const std::lock_guard lock(mutex_);
    no_more_items();
  }

 protected:
  using Lock = std::unique_lock<std::mutex>;
  [[nodiscard]] Lock locked() const { return Lock(mutex_); }

  // All that follow are for whoever holds the lock.

  void no_more_items() noexcept {
    closed_ = true;
    filled_.notify_all();
  }

  /// The first failure wins: true for it alone. Whoever waits is woken, and throws it.
  [[nodiscard]] bool fail_first(std::exception_ptr failure) noexcept {
    if (failure_) return false;
    failure_ = std::move(failure);
    room_.notify_all();
    filled_.notify_all();
    return true;
  }
  [[nodiscard]] bool failed() const noexcept { return failure_ != nullptr; }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Throws the failure, if there is one.
  template <typename Ready>
  void wait_for_room(Lock& lock, Ready ready) {
    wait(lock, room_, waiting_producers_, ready);
  }
  template <typename Ready>
  void wait_for_items(Lock& lock, Ready ready) {
    wait(lock, filled_, waiting_consumers_, ready);
  }
  /// The same, but false when the time comes first.
  template <typename Ready>
  [[nodiscard]] bool wait_for_room_until(Lock& lock, Clock::time_point deadline, Ready ready) {
    return wait_until(lock, room_, waiting_producers_, deadline, ready);
  }
  template <typename Ready>
  [[nodiscard]] bool wait_for_items_until(Lock& lock, Clock::time_point deadline, Ready ready) {
    return wait_until(lock, filled_, waiting_consumers_, deadline, ready);
  }

  /// All, not one: what waits differs in weight, and the one that fits must wake.
  void made_room() {
    if (waiting_producers_ != 0) room_.notify_all();
  }
  void put_items() {
    if (waiting_consumers_ != 0) filled_.notify_one();
  }

 private:
  template <typename Ready>
  void wait(Lock& lock, std::condition_variable& changed, std::size_t& waiting, Ready ready) {
    ++waiting;
    changed.wait(lock, [&] { return failure_ || ready(); });
    --waiting;
    rethrow_failure();
  }

  template <typename Ready>
  [[nodiscard]] bool wait_until(Lock& lock, std::condition_variable& changed, std::size_t& waiting,
                                Clock::time_point deadline, Ready ready) {
    ++waiting;
    const bool is_ready = changed.wait_until(lock, deadline, [&] { return failure_ || ready(); });
    --waiting;
    rethrow_failure();
    return is_ready;
  }

  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable filled_;
  std::size_t waiting_producers_ = 0;
  std::size_t waiting_consumers_ = 0;
  bool closed_ = false;
  std::exception_ptr failure_;
};

}  // namespace adoc
