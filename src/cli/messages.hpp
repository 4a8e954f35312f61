#pragma once

#include <string>
#include <string_view>

namespace adoc::cli {

/// `text` on one line that a terminal only shows: newlines as \n, other control characters, bytes
/// that are not UTF-8 and characters that reorder a line as \ooo. Names come from strangers. A
/// backslash stays alone, so that escaping twice changes nothing.
[[nodiscard]] std::string escape(std::string_view text);

/// What to say about an entry that failed: `message`, with the path unless it names it already.
[[nodiscard]] std::string entry_message(std::string_view path, std::string_view message);

}  // namespace adoc::cli
