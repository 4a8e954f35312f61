#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adoc/options.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// Told of what cannot be read: its path, and why.
using LeftOut = std::function<void(std::string_view, std::string_view)>;

/// A few stretches of what would be sent.
struct Sample {
  Bytes bytes;
  std::uint64_t of_bytes = 0;  ///< in all the files
  std::uint64_t of_files = 0;
};

/// At most `most_bytes` of a file, or of the files of a directory that the filters leave in, in
/// stretches spread evenly over all of it. What cannot be read is left out. Throws
/// Error(local_file) when there is nothing at `path`, or nothing that can be read, or not a byte in
/// it.
struct SampleOf {
  std::string path;
  std::vector<FilterRule> filters{};
  std::size_t most_bytes = 0;
};
[[nodiscard]] Sample read_sample(const SampleOf& of, const LeftOut& left_out = {});

}  // namespace adoc
