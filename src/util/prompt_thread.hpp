#pragma once

#include <cstdint>

namespace adoc {

/// As long as it exists, the system lets the thread that made it run soon after it is woken,
/// although others compute on all processors: for threads that hand bytes on and sleep again. Needs
/// no rights; systems that cannot do that ignore it.
class PromptThread {
 public:
  PromptThread() noexcept;
  ~PromptThread();
  PromptThread(const PromptThread&) = delete;
  PromptThread& operator=(const PromptThread&) = delete;

 private:
  std::uint64_t slice_ns_ = 0;  ///< that it had before; 0: the system's usual one
};

}  // namespace adoc
