#pragma once

#include <string>
#include <string_view>

namespace adoc::cli {

/// What to say about an entry that failed: `message`, with the path unless it names it already.
[[nodiscard]] std::string entry_message(std::string_view path, std::string_view message);

}  // namespace adoc::cli
