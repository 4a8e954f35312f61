#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "destination/journal.hpp"

namespace adoc {

/// What was left of a file, once it was looked through.
struct VerifiedPartial {
  std::vector<Extent> present;    ///< ascending, neither touching nor overlapping
  std::uint64_t journal_end = 0;  ///< where its next record goes
};

/// Reads and hashes what the journal claims of the data. What is not as claimed is taken out of the
/// journal, together with what is torn. None when nothing of it is of use for `entry`: it is
/// another source's (another name, size, time or loss, or a hash that is not the same), or all of
/// it is damaged. Takes its time; throws Error(interrupted) soon after a stop request.
[[nodiscard]] std::optional<VerifiedPartial> verify_partial(int data, int journal,
                                                            const Entry& entry,
                                                            const std::stop_token& stop = {});

}  // namespace adoc
