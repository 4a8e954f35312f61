#pragma once

#include <cstdint>

namespace adoc {

/// Where data begins at or after `offset` in an open file; `size` if there is none. A file system
/// that cannot tell has data everywhere.
[[nodiscard]] std::uint64_t next_data(int fd, std::uint64_t offset, std::uint64_t size) noexcept;
/// Where the run of data that `offset` lies in ends, at most `size`.
[[nodiscard]] std::uint64_t next_hole(int fd, std::uint64_t offset, std::uint64_t size) noexcept;

}  // namespace adoc
