#pragma once

#include <cstddef>
#include <exception>
#include <utility>

#include "pipeline/queue_ends.hpp"
#include "wire/batch_window.hpp"

namespace adoc {

/// The window of a sender: who offers waits here until there is room for the batch, who hears the
/// commits makes it. Any thread; once fail() was called, enter() throws what that was given.
class OfferGate : public QueueEnds {
 public:
  /// Gives how many batches are under way then, with this one.
  std::size_t enter(const BatchSize& batch) {
    Lock lock = locked();
    rethrow_failure();
    wait_for_room(lock, [&] { return window_.fits(batch); });
    window_.add(batch);
    return window_.batches();
  }

  /// The oldest one is committed.
  void leave() {
    const Lock lock = locked();
    window_.remove();
    made_room();
  }

  void widen(const BatchSize& most) {
    const Lock lock = locked();
    window_.widen(most);
    made_room();
  }

  /// The first failure wins.
  void fail(std::exception_ptr failure) noexcept {
    const Lock lock = locked();
    static_cast<void>(fail_first(std::move(failure)));
  }

 private:
  BatchWindow window_;
};

}  // namespace adoc
