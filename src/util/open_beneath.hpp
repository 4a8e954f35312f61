#pragma once

#include <string>

#include "util/fd.hpp"

namespace adoc {

/// Opens the directory `path`, as in a SafeName, below `directory` in one step: whatever others
/// rename or link at the same time, it is found without leaving `directory` and without following a
/// link, whoever made it. Empty with errno when that fails.
///
/// A kernel before 5.6, or a sandbox around the process, may refuse the call as such. So an empty
/// result says only that the directory was not opened this way; opening each component by itself
/// with O_NOFOLLOW is as safe, and says which of them is at fault.
[[nodiscard]] Fd open_directory_beneath(int directory, const std::string& path) noexcept;

/// Opens `path`, which has no empty, "." or ".." component, below `directory` with open's `flags`,
/// to read or with O_PATH. As above, but component by component where one step is refused or the
/// path is longer than the system takes: an empty result with errno is final. Throws
/// std::bad_alloc.
[[nodiscard]] Fd open_beneath(int directory, const std::string& path, int flags);

}  // namespace adoc
