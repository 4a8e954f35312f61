#include "util/prompt_thread.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace adoc {
namespace {

/// As in linux/sched/types.h, which excludes sched.h: the first version of it.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};

/// The shortest slice that Linux gives (since 6.12): a thread that asks for less at a time than
/// those that run is served before their slice is over.
constexpr std::uint64_t kSliceNs = 100'000;

/// Returns what it was.
std::uint64_t set_slice(std::uint64_t slice_ns) noexcept {
  SchedulingAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0 ||
      attributes.policy != SCHED_OTHER)
    return 0;
  const std::uint64_t before = std::exchange(attributes.runtime_ns, slice_ns);
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);
  return before;
}

}  // namespace

PromptThread::PromptThread() noexcept : slice_ns_(set_slice(kSliceNs)) {}

PromptThread::~PromptThread() { set_slice(slice_ns_); }

}  // namespace adoc
