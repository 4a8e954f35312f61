#pragma once

#include <sys/stat.h>

#include <cstdint>

#include "wire/entry.hpp"

namespace adoc {

/// When a file was modified, since 1970.
struct FileTime {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
};

/// Whether a file with the time `present` may be the one that was listed with `listed`: the two are
/// equal, or the first is the second rounded down to what a file system keeps of it, which is 100
/// ns (NTFS, CIFS), 1 us, 10 ms (exFAT), 1 s (ext2 and ext3 with small inodes) or 2 s (FAT).
[[nodiscard]] bool same_time(FileTime listed, FileTime present) noexcept;
[[nodiscard]] bool same_time(const Entry& listed, const struct stat& present) noexcept;

}  // namespace adoc
