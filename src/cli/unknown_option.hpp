#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/habits.hpp"

namespace adoc::cli {

/// What to say of an option that there is not: the answer to a habit, or the nearest one that there
/// is. `known` are the options of the program, with their dashes.
[[nodiscard]] std::string unknown_option_message(const std::string& typed,
                                                 const std::vector<std::string>& known,
                                                 std::span<const Habit> habits);

}  // namespace adoc::cli
