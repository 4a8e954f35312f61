#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adoc::cli {

// How much of a line of a terminal printable text (util/safe_name.hpp) takes. What is not ASCII
// counts as two columns, the most that a terminal gives to a character: so nothing ever wraps,
// whatever locale, font and version of Unicode the terminal goes by.

[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

/// As much of its beginning as fits.
[[nodiscard]] std::string first_columns(std::string_view text, std::size_t columns);

/// The same if all of it fits; else "..." and its end, where names differ.
[[nodiscard]] std::string last_columns(std::string_view text, std::size_t columns);

}  // namespace adoc::cli
