#pragma once

#include <cstdint>
#include <vector>

#include "wire/extents.hpp"

namespace adoc {

/// The same bytes as ascending runs that neither touch nor overlap.
[[nodiscard]] std::vector<Extent> merged(std::vector<Extent> runs);

/// What `present`, merged, leaves of the first `size` bytes. In at most `limit` runs: what would
/// take more comes as fewer and longer ones.
[[nodiscard]] std::vector<Extent> missing_of(const std::vector<Extent>& present, std::uint64_t size,
                                             std::size_t limit);

}  // namespace adoc
