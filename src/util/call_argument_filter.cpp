#include "util/call_argument_filter.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "util/sanitized.hpp"

namespace adoc {

namespace {

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kNotPermitted = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kNoSuchCall = SECCOMP_RET_ERRNO | ENOSYS;

/// What the programs and their libraries ask terminals and sockets.
constexpr std::uint32_t kHarmlessIoctls[] = {TCGETS,  TIOCGWINSZ, TIOCGPGRP,
                                             FIONBIO, FIONREAD,   SIOCOUTQ};

constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

/// Where the flags of clone() are.
#if defined(__s390__)
constexpr unsigned kCloneFlags = 1;
#else
constexpr unsigned kCloneFlags = 0;
#endif

/// A program for the kernel's machine, call by call.
class Filter {
 public:
  /// Calls of other instruction sets are for the other filter to refuse.
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, ::seccomp_arch_native(), 1, 0);
    answer(kAllow);
    load(offsetof(seccomp_data, nr));
  }

  void refuse(long call) {
    skip_unless(call, 1);
    answer(kNoSuchCall);
  }
  void allow_only(long call, unsigned argument, const std::vector<std::uint32_t>& values) {
    skip_unless(call, 2 * values.size() + 2);
    load_argument(argument);
    for (const std::uint32_t value : values) {
      add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
      answer(kAllow);
    }
    answer(kNotPermitted);
  }
  void refuse_values(long call, unsigned argument, const std::vector<std::uint32_t>& values) {
    skip_unless(call, 2 * values.size() + 2);
    load_argument(argument);
    for (const std::uint32_t value : values) {
      add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
      answer(kNotPermitted);
    }
    answer(kAllow);
  }
  void refuse_bits(long call, unsigned argument, std::uint32_t bits) {
    skip_unless(call, 4);
    load_argument(argument);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    answer(kNotPermitted);
    answer(kAllow);
  }

  [[nodiscard]] bool install() {
    answer(kAllow);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  void add(unsigned code, std::uint32_t value, unsigned char if_true, unsigned char if_false) {
    code_.push_back({static_cast<unsigned short>(code), if_true, if_false, value});
  }
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0);
  }
  /// Its lower half: all that the kernel looks at of those that are compared here.
  void load_argument(unsigned number) {
    const std::size_t half = std::endian::native == std::endian::big ? 4 : 0;
    load(offsetof(seccomp_data, args) + number * sizeof(std::uint64_t) + half);
  }
  void answer(std::uint32_t action) { add(BPF_RET | BPF_K, action, 0, 0); }
  void skip_unless(long call, std::size_t instructions) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0,
        static_cast<unsigned char>(instructions));
  }

  std::vector<sock_filter> code_;
};

}  // namespace

bool refuse_dangerous_arguments() noexcept {
  try {
    const auto self = static_cast<std::uint32_t>(::getpid());
    Filter filter;
    filter.allow_only(SYS_ioctl, 1, {std::begin(kHarmlessIoctls), std::end(kHarmlessIoctls)});
    filter.refuse(SYS_clone3);
    filter.refuse_bits(SYS_clone, kCloneFlags, kNamespaces);
    filter.allow_only(SYS_kill, 0, {self});
    filter.allow_only(SYS_tgkill, 0, {self});
    filter.allow_only(SYS_prlimit64, 0, {0, self});
    // What a sanitizer does to look at its own threads.
    if (!kSanitized) filter.refuse_values(SYS_prctl, 0, {PR_SET_DUMPABLE, PR_SET_PTRACER});
    return filter.install();
  } catch (...) {
    return false;
  }
}

}  // namespace adoc
