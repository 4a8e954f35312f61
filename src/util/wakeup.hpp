#pragma once

#include "util/fd.hpp"

namespace adoc {

/// A flag that poll() can wait for. set() may be called from any thread, any number of times.
class Wakeup {
 public:
  Wakeup();

  void set() noexcept;
  [[nodiscard]] bool is_set() const noexcept;
  /// Not set any more. For the thread that waits for it, before it looks at what it is woken for.
  void reset() noexcept;
  /// Readable once set; never read it.
  [[nodiscard]] int fd() const noexcept { return event_.get(); }

  enum class Result { ready, woken, timed_out };

  /// Waits until the flag is set (woken, also when `fd` is ready as well) or `fd` has one of
  /// `events`, which are poll's; a timeout of -1 never comes.
  [[nodiscard]] Result wait_for(int fd, short events, int timeout_ms = -1) const;

 private:
  Fd event_;
};

}  // namespace adoc
