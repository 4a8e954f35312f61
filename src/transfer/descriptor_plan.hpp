#pragma once

#include <cstddef>

namespace adoc {

/// How a receiver divides the descriptors that its process may have. Each part is enough for what
/// it is for, so that none of them makes another fail.
struct DescriptorPlan {
  std::size_t transfers = 0;  ///< at once, each with what it cannot do without
  std::size_t guests = 0;     ///< connections that are not let in yet
  std::size_t waiting = 0;    ///< senders that wait for their turn
  std::size_t files = 0;      ///< what is left, for files that transfers keep open longer
};

/// Of `free` descriptors, for at most `most_transfers`. Throws Error(usage) when that is not even
/// enough for one.
[[nodiscard]] DescriptorPlan plan_descriptors(std::size_t free, std::size_t most_transfers);

/// How many this process may still open, but no more than anybody needs.
[[nodiscard]] std::size_t free_descriptors();

}  // namespace adoc
