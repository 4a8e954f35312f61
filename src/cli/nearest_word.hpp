#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adoc::cli {

/// How many letters have to be put in, taken out, replaced or exchanged with their neighbour to
/// make one word of the other (Damerau and Levenshtein, no letter touched twice).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word that was probably meant: one that begins with what was typed, or the nearest one, if no
/// more than a third of the letters are wrong.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view typed,
                                                      const std::vector<std::string>& words);

}  // namespace adoc::cli
