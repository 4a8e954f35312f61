#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "util/clock.hpp"

namespace adoc {

/// A value that several threads use, and its lock. Nobody gets at the value but through what lock()
/// lends, for as long as that is there; so it is seen in the code where the lock is held, which is
/// to be short: nobody sleeps, calls out or does I/O meanwhile.
template <typename T>
class Guarded {
 public:
  /// The value for a scope. At most one of them is there at a time.
  template <typename Value>
  class Lent {
   public:
    [[nodiscard]] Value* operator->() const noexcept { return value_; }
    [[nodiscard]] Value& operator*() const noexcept { return *value_; }

    /// Lets others have the value until `ready()` is true, which is asked with the value lent: now,
    /// and after each wake_one() or wake_all().
    template <typename Ready>
    void wait(Ready ready) {
      changed_->wait(lock_, std::move(ready));
    }
    /// The same, but no longer than until then: whether it is true.
    template <typename Ready>
    [[nodiscard]] bool wait_until(Clock::time_point time, Ready ready) {
      return changed_->wait_until(lock_, time, std::move(ready));
    }

   private:
    friend class Guarded;
    Lent(Value& value, std::unique_lock<std::mutex> lock, std::condition_variable& changed)
        : value_(&value), lock_(std::move(lock)), changed_(&changed) {}

    Value* value_;
    std::unique_lock<std::mutex> lock_;
    std::condition_variable* changed_;
  };

  template <typename... Arguments>
  explicit Guarded(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}

  [[nodiscard]] Lent<T> lock() { return {value_, std::unique_lock(mutex_), changed_}; }
  [[nodiscard]] Lent<const T> lock() const { return {value_, std::unique_lock(mutex_), changed_}; }

  /// Nothing while somebody else has it.
  [[nodiscard]] std::optional<Lent<T>> try_lock() {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return std::nullopt;
    return Lent<T>(value_, std::move(lock), changed_);
  }

  // For whoever has changed what wait() asks for, with the value lent or just after.
  void wake_one() noexcept { changed_.notify_one(); }
  void wake_all() noexcept { changed_.notify_all(); }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  T value_;
};

}  // namespace adoc
