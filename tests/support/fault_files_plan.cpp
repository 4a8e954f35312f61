#include "support/fault_files_plan.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace adoc::fault_files {

namespace {

constexpr std::array<const char*, kCallCount> kCalls{
    "open",      "read",      "pread",     "write",   "pwrite", "fsync",    "fdatasync",
    "syncfs",    "rename",    "mkdir",     "symlink", "unlink", "fchmod",   "futimens",
    "utimensat", "ftruncate", "fallocate", "close",   "stat",   "readlink", "readdir",
    "lseek",     "recv",      "send",      "connect", "accept"};

struct ErrnoName {
  const char* name;
  int number;
};
constexpr std::array kErrnos{ErrnoName{"EINTR", EINTR},
                             ErrnoName{"EIO", EIO},
                             ErrnoName{"ENOSPC", ENOSPC},
                             ErrnoName{"EDQUOT", EDQUOT},
                             ErrnoName{"EACCES", EACCES},
                             ErrnoName{"EPERM", EPERM},
                             ErrnoName{"EMFILE", EMFILE},
                             ErrnoName{"ENOMEM", ENOMEM},
                             ErrnoName{"EROFS", EROFS},
                             ErrnoName{"ECONNRESET", ECONNRESET},
                             ErrnoName{"ECONNABORTED", ECONNABORTED}};

std::array<Fault, 16> faults;
std::size_t fault_count = 0;
std::array<std::atomic<unsigned long>, kCallCount> calls_made;
char below[4'096];
std::size_t below_bytes = 0;
int struck_fd = -1;

[[noreturn]] void bad_plan(const char* part) {
  std::fprintf(stderr, "fault_files: this is no fault: %s\n", part);
  std::_Exit(125);
}

/// Far above the numbers that the program itself uses.
int open_to_append(const char* path) {
  const long fd =
      ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  const long high = ::syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 500);
  ::syscall(SYS_close, fd);
  return static_cast<int>(high);
}

Fault parse(char* part) {
  Fault fault{};
  char* const at = std::strchr(part, '@');
  char* const is = std::strchr(part, '=');
  if (at == nullptr || is == nullptr || is < at) bad_plan(part);
  *at = *is = '\0';
  unsigned call = 0;
  while (call < kCallCount && std::strcmp(kCalls[call], part) != 0) ++call;
  char* end = nullptr;
  fault.call = static_cast<Call>(call);
  fault.nth = std::strtoul(at + 1, &end, 10);
  fault.and_all_after = *end == '+';
  if (call == kCallCount || fault.nth == 0) bad_plan(part);
  const char* const effect = is + 1;
  if (std::strcmp(effect, "KILL") == 0 || std::strcmp(effect, "KILLED") == 0) {
    fault.effect = effect[4] == '\0' ? Effect::kill_before : Effect::kill_after;
  } else if (std::strncmp(effect, "short:", 6) == 0) {
    fault.effect = Effect::shorten;
    fault.bytes = std::strtoul(effect + 6, nullptr, 10);
  } else {
    fault.effect = Effect::fail;
    for (const ErrnoName& known : kErrnos)
      if (std::strcmp(known.name, effect) == 0) fault.error_number = known.number;
    if (fault.error_number == 0) bad_plan(effect);
  }
  return fault;
}

__attribute__((constructor)) void read_plan() {
  static char plan[4'096];
  const char* const given = std::getenv("ADOC_FAULT_FILES");
  const char* const directory = std::getenv("ADOC_FAULT_BELOW");
  const char* const struck = std::getenv("ADOC_FAULT_STRUCK");
  if (given == nullptr || std::strlen(given) >= sizeof(plan)) return;
  std::strcpy(plan, given);
  if (directory != nullptr && std::strlen(directory) < sizeof(below)) {
    std::strcpy(below, directory);
    below_bytes = std::strlen(below);
  }
  // Open from the start: later the program may not be able to open anything outside of --out.
  if (struck != nullptr) struck_fd = open_to_append(struck);
  char* rest = nullptr;
  for (char* part = strtok_r(plan, ";", &rest); part != nullptr;
       part = strtok_r(nullptr, ";", &rest)) {
    if (fault_count == faults.size()) bad_plan(part);
    faults[fault_count++] = parse(part);
  }
}

bool lies_below(const char* path) {
  return std::strncmp(path, below, below_bytes) == 0 &&
         (path[below_bytes] == '/' || path[below_bytes] == '\0');
}

void tell(const Fault& fault, unsigned long nth) {
  if (struck_fd < 0) return;
  char line[64];
  const int length = std::snprintf(line, sizeof(line), "%s@%lu\n", kCalls[fault.call], nth);
  static_cast<void>(::syscall(SYS_write, struck_fd, line, length));
}

}  // namespace

bool has_plan() { return fault_count != 0; }

bool counts(int fd) {
  if (below_bytes == 0) return true;
  char link[64];
  char path[4'096];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const long length = ::syscall(SYS_readlink, link, path, sizeof(path) - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  return lies_below(path);
}

bool counts(int directory, const char* path) {
  if (below_bytes == 0) return true;
  if (path[0] == '/') return lies_below(path);
  if (directory != AT_FDCWD) return counts(directory);
  char here[4'096];
  return ::syscall(SYS_getcwd, here, sizeof(here)) > 0 && lies_below(here);
}

const Fault* strike(Call call, bool relevant) {
  if (fault_count == 0 || !relevant) return nullptr;
  const unsigned long nth = ++calls_made[call];
  for (std::size_t i = 0; i < fault_count; ++i) {
    const Fault& fault = faults[i];
    if (fault.call != call || (nth != fault.nth && (!fault.and_all_after || nth < fault.nth)))
      continue;
    if (nth == fault.nth) tell(fault, nth);
    if (fault.effect == Effect::kill_before) ::kill(::getpid(), SIGKILL);
    return &fault;
  }
  return nullptr;
}

}  // namespace adoc::fault_files
