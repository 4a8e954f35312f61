#pragma once

namespace adoc {

/// Whether a directory of the name kOwnDirectory is one in which a receiver keeps what has arrived
/// of unfinished files: such files are in it, or it is empty. Its next name is the first one then.
[[nodiscard]] bool holds_unfinished_files(int directory);

/// Why a name that leads to such a directory is not sent.
inline constexpr const char* kIsOwnDirectory =
    "a receiver keeps under this name what has arrived of unfinished files";

}  // namespace adoc
