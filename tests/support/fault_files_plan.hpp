#pragma once

#include <cstddef>

// What fault_files.cpp is told to fail. Nothing here allocates or throws: it runs inside of the
// program's own calls.
namespace adoc::fault_files {

enum Call : unsigned {
  kOpen,
  kRead,
  kPread,
  kWrite,
  kPwrite,
  kFsync,
  kFdatasync,
  kSyncfs,
  kRename,
  kMkdir,
  kSymlink,
  kUnlink,
  kFchmod,
  kFutimens,
  kUtimensat,
  kFtruncate,
  kFallocate,
  kClose,
  kStat,
  kReadlink,
  kReaddir,
  kLseek,
  kRecv,
  kSend,
  kConnect,
  kAccept,
  kCallCount
};

enum class Effect { fail, shorten, kill_before, kill_after };

struct Fault {
  Call call;
  unsigned long nth;
  bool and_all_after;
  Effect effect;
  int error_number;
  std::size_t bytes;
};

/// Whether a call on this descriptor, or on this path, is one that may be made to fail.
[[nodiscard]] bool counts(int fd);
[[nodiscard]] bool counts(int directory, const char* path);

/// Whether there is anything to fail.
[[nodiscard]] bool has_plan();

/// What is to happen to this call, which is one more of its kind if it is `relevant`; null when
/// nothing is. A process that is to be killed before the call is dead then.
[[nodiscard]] const Fault* strike(Call call, bool relevant);

}  // namespace adoc::fault_files
