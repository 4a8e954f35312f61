#pragma once

namespace adoc {

/// From now on the kernel refuses, with EPERM, the calling thread and those that it starts whatever
/// a program that has its files and connections open does not need and an intruder would: to run
/// programs, open sockets, look into other processes, mount, load code into the kernel, become
/// another user, make devices, and more (seccomp). For good; sets "no new privileges".
///
/// It is a list of what is forbidden and not of what is allowed: which calls a libc makes for
/// malloc, a lock or a thread changes from one version to the next, and a list of those would end
/// the program some day. What has ever been dangerous stays so. Where a call has many uses and few
/// of them are needed, as ioctl(), call_argument_filter.hpp has a list of those that are allowed.
/// Calls that this system does not have are left out of it, and so are those of other instruction
/// sets, which all are refused.
///
/// False, and nothing is changed, where the kernel has no such filters.
[[nodiscard]] bool refuse_dangerous_calls() noexcept;

}  // namespace adoc
