#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adoc/options.hpp"
#include "util/bytes.hpp"

namespace adoc::cli {

/// A few stretches of what would be sent.
struct Sample {
  Bytes bytes;
  std::uint64_t of_bytes = 0;  ///< in all the files
  std::uint64_t of_files = 0;
};

/// At most `most_bytes` of a file, or of the files of a directory that the filters leave in, in
/// stretches spread evenly over all of it. What cannot be read is logged and left out. Throws
/// Error(local_file) when there is nothing at `path`, or nothing that can be read, or not a byte in
/// it.
[[nodiscard]] Sample read_sample(const std::string& path, const std::vector<FilterRule>& filters,
                                 std::size_t most_bytes);

}  // namespace adoc::cli
