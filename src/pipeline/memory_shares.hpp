#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>

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

}  // namespace adoc
