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

}  // namespace adoc
