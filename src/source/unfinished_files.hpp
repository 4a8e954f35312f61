#pragma once

namespace adoc {

/// Whether a directory of the name kOwnDirectory is one in which a receiver keeps what has arrived
/// of unfinished files: such files are in it, or it is empty. Its next name is the first one then.
[[nodiscard]] bool holds_unfinished_files(int directory);

}  // namespace adoc
