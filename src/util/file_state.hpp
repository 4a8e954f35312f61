#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace adoc {

/// What tells whether a file is still the one that was looked at, with the contents and the
/// metadata that it had then: the time of its last change is nothing that a user can set.
struct FileState {
  dev_t device = 0;
  ino_t inode = 0;
  off_t bytes = 0;
  std::int64_t modified_seconds = 0;
  std::int64_t modified_nanoseconds = 0;
  std::int64_t changed_seconds = 0;
  std::int64_t changed_nanoseconds = 0;

  FileState() = default;
  explicit FileState(const struct stat& status) noexcept
      : device(status.st_dev),
        inode(status.st_ino),
        bytes(status.st_size),
        modified_seconds(status.st_mtim.tv_sec),
        modified_nanoseconds(status.st_mtim.tv_nsec),
        changed_seconds(status.st_ctim.tv_sec),
        changed_nanoseconds(status.st_ctim.tv_nsec) {}

  bool operator==(const FileState&) const = default;
};

}  // namespace adoc
