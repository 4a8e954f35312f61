#include "util/system_call_filter.hpp"

#include <seccomp.h>

#include <cerrno>
#include <memory>

#include "util/sanitized.hpp"

namespace adoc {

namespace {

constexpr const char* kRefused[] = {
    // other programs and processes
    "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd",
    "pidfd_open", "pidfd_send_signal", "kcmp", "move_pages", "migrate_pages", "tkill",
    "rt_sigqueueinfo", "rt_tgsigqueueinfo", "userfaultfd",
    // what processes of one user share with each other
    "shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd",
    "msgrcv", "msgctl", "mq_open", "mq_unlink",
    // sockets: those in use are open, accepting needs none of these
    "socket", "socketpair", "connect", "bind", "listen",
    // ways around this list
    "io_uring_setup", "io_uring_enter", "io_uring_register", "personality", "modify_ldt",
    // other users and rights
    "setuid", "setuid32", "setgid", "setgid32", "setreuid", "setreuid32", "setregid", "setregid32",
    "setresuid", "setresuid32", "setresgid", "setresgid32", "setfsuid", "setfsuid32", "setfsgid",
    "setfsgid32", "setgroups", "setgroups32", "capset", "keyctl", "add_key", "request_key",
    // files that are none, and files by number, which lie anywhere
    "mknod", "mknodat", "open_by_handle_at", "name_to_handle_at",
    // another view of the file system
    "mount", "umount", "umount2", "move_mount", "open_tree", "open_tree_attr", "mount_setattr",
    "fsopen", "fsmount", "fsconfig", "fspick", "pivot_root", "chroot", "setns", "unshare",
    "fanotify_init", "quotactl", "quotactl_fd",
    // the kernel and the machine
    "init_module", "finit_module", "delete_module", "create_module", "kexec_load",
    "kexec_file_load", "bpf", "perf_event_open", "lookup_dcookie", "iopl", "ioperm", "reboot",
    "swapon", "swapoff", "acct", "syslog", "vhangup", "sethostname", "setdomainname",
    "settimeofday", "stime", "clock_settime", "clock_settime64", "clock_adjtime", "clock_adjtime64",
    "adjtimex"};

/// What the sanitizers need themselves.
constexpr const char* kRefusedUnlessSanitized[] = {"execve", "execveat", "ptrace"};

struct Release {
  void operator()(void* filter) const noexcept { ::seccomp_release(filter); }
};

bool refuse(void* filter, const char* name) noexcept {
  const int number = ::seccomp_syscall_resolve_name(name);
  if (number == __NR_SCMP_ERROR) return true;
  const int result = ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
  return result == 0 || result == -EDOM;
}

}  // namespace

bool refuse_dangerous_calls() noexcept {
  const std::unique_ptr<void, Release> filter(::seccomp_init(SCMP_ACT_ALLOW));
  if (!filter) return false;
  for (const char* name : kRefused)
    if (!refuse(filter.get(), name)) return false;
  if (!kSanitized)
    for (const char* name : kRefusedUnlessSanitized)
      if (!refuse(filter.get(), name)) return false;
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
  // A tree instead of a chain of comparisons, for each call that is made.
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  return ::seccomp_load(filter.get()) == 0;
}

}  // namespace adoc
