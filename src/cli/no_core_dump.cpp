#include "cli/no_core_dump.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "util/sanitized.hpp"

namespace adoc::cli {

void forbid_core_dumps() noexcept {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  // The limit is for files alone: a core dump that goes to a program, as most systems have it, is
  // whole whatever the limit says. A sanitizer attaches to the process itself.
  if (!kSanitized) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace adoc::cli
