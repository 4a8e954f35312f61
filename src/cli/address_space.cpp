#include "cli/address_space.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <cstddef>
#include <thread>  // and with it what it is made of

#include "util/sanitized.hpp"

namespace adoc::cli {

#ifdef __GLIBC__

namespace {

bool limited(decltype(RLIMIT_AS) resource) noexcept {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

void spare_address_space_where_it_is_limited() noexcept {
  constexpr std::size_t kStackBytes = 1 << 20;
  if (kSanitized || !(limited(RLIMIT_AS) || limited(RLIMIT_DATA))) return;
  ::mallopt(M_ARENA_MAX, 1);
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  if (::pthread_attr_setstacksize(&attributes, kStackBytes) == 0)
    ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

#else

void spare_address_space_where_it_is_limited() noexcept {}

#endif

}  // namespace adoc::cli
