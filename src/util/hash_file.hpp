#pragma once

#include <stop_token>

#include "util/content_hasher.hpp"

namespace adoc {

/// The hash of all contents of an open file. Holes are not read. Throws Error(local_file), in words
/// that follow the file's name; Error(interrupted) soon after a stop request.
[[nodiscard]] ContentHash hash_file(int fd, const std::stop_token& stop = {});

}  // namespace adoc
