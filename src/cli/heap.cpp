#include "cli/heap.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <thread>  // and with it what it is made of

#include "util/sanitized.hpp"

namespace adoc::cli {

#ifdef __GLIBC__

namespace {

/// Buffers, and the tables of all but the densest levels. Of what is not used, nothing is taken.
constexpr std::size_t kHugeBytes = 64 << 20;

/// The most that malloc lets it be; larger pieces are mapped one by one.
constexpr int kMapFrom = 32 << 20;

/// Larger than what comes fast: to map it costs less than a thousandth of what is done with it.
constexpr int kLargeFrom = 6 << 20;

constexpr std::uintptr_t kHugePage = 2 << 20;

/// glibc's own.
constexpr int kUsualTopPad = 128 << 10;

bool limited(decltype(RLIMIT_AS) resource) noexcept {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// A stack counts as a whole, the usual 8 MiB of each thread, though next to nothing of it is used.
/// What 1 MiB is not enough for, as deep recursion, is not done here.
void use_small_stacks() noexcept {
  constexpr std::size_t kStackBytes = 1 << 20;
  pthread_attr_t attributes;
  if (kSanitized || ::pthread_attr_init(&attributes) != 0) return;
  if (::pthread_attr_setstacksize(&attributes, kStackBytes) == 0)
    ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

// A page that is written to for the first time costs a fault, 1 to 2 us in a virtual machine, and
// a block that goes raw takes 60 us in all. Heaps of threads would be made of small pages, and a
// piece that is mapped for itself as well. Where room is short, the heap's would be missing for
// threads.
void prepare_heap() noexcept {
  mallopt(M_ARENA_MAX, 1);
  if (limited(RLIMIT_AS) || limited(RLIMIT_DATA)) return use_small_stacks();
  mallopt(M_MMAP_THRESHOLD, kMapFrom);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, kHugeBytes);
  void* const volatile grown = std::malloc(kMapFrom / 2);
  std::free(grown);
  mallopt(M_TOP_PAD, kUsualTopPad);
  if (grown == nullptr) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(grown) + kHugePage - 1) & ~(kHugePage - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) & ~(kHugePage - 1);
  if (begin < end)
    static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
}

void give_large_blocks_back() noexcept { mallopt(M_MMAP_THRESHOLD, kLargeFrom); }

#else

void prepare_heap() noexcept {}
void give_large_blocks_back() noexcept {}

#endif

}  // namespace adoc::cli
