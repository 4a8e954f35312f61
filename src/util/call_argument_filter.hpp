#pragma once

namespace adoc {

/// From now on the kernel refuses, for the calling thread and those that it starts, what some
/// system calls do that are needed for something else (seccomp). For good; "no new privileges" must
/// be set. Refused with EPERM: every ioctl() but the few that ask a terminal or a socket something,
/// so that nothing can be typed into the terminal that the program was started from; clone() into
/// new namespaces; signals to, and limits of, other processes; to let others look into this one.
/// clone3(), whose flags no filter can see, is answered as by a kernel that does not have it
/// (ENOSYS), and a libc then uses clone().
///
/// Written by hand: libseccomp can refuse one value of an argument, and not all but a few of them;
/// it compares 64 bits also where the kernel looks at 32.
///
/// False, and nothing is changed, where the kernel has no such filters.
[[nodiscard]] bool refuse_dangerous_arguments() noexcept;

}  // namespace adoc
