#pragma once

#include <cstdint>
#include <string>

namespace adoc {

/// What Landlock of this kernel can do, as its interface's version; 0 where it is missing or
/// switched off.
[[nodiscard]] int landlock_version() noexcept;

/// The oldest that is of use: before it no file could be renamed from one directory to another.
inline constexpr int kOldestLandlock = 2;

/// From now on the calling thread, and those that it starts, read and write files below `directory`
/// alone, and open no TCP connection or port where the kernel can forbid that (version 4). What is
/// open stays usable. For good; needs no rights but "no new privileges", which is to be set before.
///
/// `version` is that of the kernel or an older one to keep to. False, and nothing is changed, where
/// that is not possible.
[[nodiscard]] bool landlock_below(const std::string& directory, int version) noexcept;

}  // namespace adoc
