// Memory that runs out: loaded into a program with LD_PRELOAD, it fails allocations.
//
//   ADOC_FAULT_MEMORY=FILE     16 bytes, two numbers: allocations that succeed from now on, and how
//                              many fail after them; then all succeed again
//
// Whoever tests writes into the file while the program runs; the first number counts down in it.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

struct Plan {
  std::atomic<std::int64_t> succeed;
  std::atomic<std::int64_t> fail;
};
static_assert(sizeof(Plan) == 16 && std::atomic<std::int64_t>::is_always_lock_free);

Plan* plan = nullptr;

__attribute__((constructor)) void find_plan() {
  const char* const path = std::getenv("ADOC_FAULT_MEMORY");
  if (path == nullptr) return;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  void* const mapped = ::mmap(nullptr, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (mapped != MAP_FAILED) plan = static_cast<Plan*>(mapped);
}

bool fails() {
  if (plan == nullptr) return false;
  const std::int64_t fail = plan->fail.load(std::memory_order_relaxed);
  if (fail == 0) return false;
  const std::int64_t left = plan->succeed.fetch_sub(1, std::memory_order_relaxed);
  const bool strikes = left <= 0 && left > -fail;
  if (strikes) errno = ENOMEM;
  return strikes;
}

}  // namespace

extern "C" {

void* malloc(size_t bytes) { return fails() ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* place, size_t bytes) {
  return fails() ? nullptr : __libc_realloc(place, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** place, size_t alignment, size_t bytes) {
  void* const made = memalign(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *place = made;
  return 0;
}
}
