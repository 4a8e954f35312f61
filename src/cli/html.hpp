#pragma once

#include <string>
#include <string_view>

namespace adoc::cli {

/// Any bytes as text of an HTML page, also within a quoted attribute: what is no text becomes
/// readable, and nothing of it is markup.
[[nodiscard]] std::string html_text(std::string_view bytes);

/// "3.2 s", "12:05", "1:02:05": a time within a transfer of that length.
[[nodiscard]] std::string time_text(double seconds, double length);

/// The least round number that is no less: 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten; 1 for
/// nothing.
[[nodiscard]] double round_up(double value);

}  // namespace adoc::cli
