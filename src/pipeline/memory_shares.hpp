#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>

#include "util/guarded.hpp"

namespace adoc {

/// Memory in shares of the same size, each for a thread that is at something. A share is back when
/// the last who holds it has let go: work that nobody waits for any more (codec/apart.hpp) keeps
/// its own until it is through, and whoever comes next waits for that, and no longer. Any thread.
class MemoryShares : public std::enable_shared_from_this<MemoryShares> {
 public:
  using Share = std::shared_ptr<const void>;

  /// Owned by a shared_ptr, as each share that is out owns a part of it.
  explicit MemoryShares(std::size_t count) : left_(count) {}

  /// Waits for one. Null if there is none and stop is requested.
  [[nodiscard]] Share take(const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] {
      static_cast<void>(left_.lock());  // whoever has it does not wait yet
      left_.wake_all();
    });
    {
      auto left = left_.lock();
      left.wait([&] { return *left != 0 || stop.stop_requested(); });
      if (*left == 0) return nullptr;
      --*left;
    }
    return owned();
  }

  /// Those that nobody holds: a snapshot.
  [[nodiscard]] std::size_t left() const { return *left_.lock(); }

 private:
  [[nodiscard]] Share owned() {
    return {static_cast<const void*>(this),
            [self = shared_from_this()](const void*) { self->give_back(); }};
  }

  void give_back() noexcept {
    ++*left_.lock();
    left_.wake_one();
  }

  Guarded<std::size_t> left_;
};

/// Gives shares to the blocks of one connection in their order, each of which may wait, with its
/// share, for those before it: so the first that is not made has one, and needs nothing else.
class SharesInOrder {
 public:
  /// `over`: nobody is to wait any more.
  SharesInOrder(MemoryShares& shares, std::stop_token over)
      : shares_(shares), over_(std::move(over)) {}

  /// Waits until all blocks of lower numbers have asked and got theirs, and for a share. Null once
  /// it is over. For each number from 0 on once, by any thread.
  [[nodiscard]] MemoryShares::Share take(std::uint64_t number) {
    const std::stop_callback on_stop(over_, [this] {
      static_cast<void>(next_.lock());  // whoever has it does not wait yet
      next_.wake_all();
    });
    {
      auto next = next_.lock();
      next.wait([&] { return *next == number || over_.stop_requested(); });
      if (*next != number) return nullptr;
    }
    MemoryShares::Share share = shares_.take(over_);
    ++*next_.lock();
    next_.wake_all();
    return share;
  }

 private:
  MemoryShares& shares_;
  std::stop_token over_;
  Guarded<std::uint64_t> next_{0U};
};

}  // namespace adoc
