#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adoc {

/// What Landlock of this kernel can do, as its interface's version; 0 where it is missing or
/// switched off.
[[nodiscard]] int landlock_version() noexcept;

/// The oldest that is of use: before it no file could be renamed from one directory to another.
inline constexpr int kOldestLandlock = 2;

/// What may be done with a file, or with a directory and all below it.
struct FileRight {
  std::string path;
  bool writes = false;  ///< beside reading
};

/// From now on the calling thread, and those that it starts, do with files what these rights allow
/// alone, and open no TCP connection or port where the kernel can forbid that (version 4). A path
/// that is not there gives no right; what is open stays usable. For good; needs no rights but "no
/// new privileges", which is to be set before.
///
/// `version` is that of the kernel or an older one to keep to. False, and nothing is changed, where
/// that is not possible.
[[nodiscard]] bool landlock_to(const std::vector<FileRight>& rights, int version) noexcept;

/// That, with the right to write below `directory` alone.
[[nodiscard]] bool landlock_below(const std::string& directory, int version) noexcept;

}  // namespace adoc
