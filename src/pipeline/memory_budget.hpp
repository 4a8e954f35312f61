#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "pipeline/queue_ends.hpp"

namespace adoc {

/// Memory that threads take parts of, for as long as they are at something. Whoever asked first is
/// served first, so that many small parts do not keep a large one waiting for ever. Any thread.
///
/// Nobody who has a part may wait for one who asks for one.
class MemoryBudget : public QueueEnds {
 public:
  /// Gives its part back when it goes.
  class Part {
   public:
    Part(MemoryBudget& budget, std::size_t bytes) noexcept : budget_(budget), bytes_(bytes) {}
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() { budget_.give_back(bytes_); }

   private:
    MemoryBudget& budget_;
    const std::size_t bytes_;
  };

  explicit MemoryBudget(std::size_t bytes) noexcept : all_(bytes), left_(bytes) {}

  /// Waits for its turn and until there is so much left; for all of it, where more is asked for
  /// than there ever is. Throws what fail() was given.
  [[nodiscard]] Part take(std::size_t bytes) {
    const std::size_t part = std::min(bytes, all_);
    Lock lock = locked();
    rethrow_failure();
    const std::uint64_t turn = last_turn_++;
    wait_for_room(lock, [&] { return turn == next_turn_ && part <= left_; });
    ++next_turn_;
    left_ -= part;
    made_room();  // for the next in turn
    return {*this, part};
  }

  /// Those that wait for a part: a snapshot.
  [[nodiscard]] std::uint64_t waiting() const {
    const Lock lock = locked();
    return last_turn_ - next_turn_;
  }

  void fail(std::exception_ptr failure) noexcept {
    const Lock lock = locked();
    static_cast<void>(fail_first(std::move(failure)));
  }

 private:
  void give_back(std::size_t bytes) noexcept {
    const Lock lock = locked();
    left_ += bytes;
    made_room();
  }

  const std::size_t all_;
  std::size_t left_;
  std::uint64_t next_turn_ = 0;
  std::uint64_t last_turn_ = 0;
};

}  // namespace adoc
