#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace adoc {

/// rsync's wildcards as a regular expression in RE2's syntax over bytes (Latin-1), for whole texts:
/// `*` and `?` stop at a slash, `**` does not, `[...]` is one byte but a slash, a backslash takes
/// the next byte for itself. None when no text can match, as with a bracket that is never closed.
[[nodiscard]] std::optional<std::string> regular_expression(std::string_view wildcards);

}  // namespace adoc
