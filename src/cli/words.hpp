#pragma once

#include <string>

#include "adoc/error.hpp"

namespace adoc::cli {

/// What the programs say of an error: its text, with the options of the command line and the
/// programs' names where it has a hint.
[[nodiscard]] std::string words_of(const Error& error);

}  // namespace adoc::cli
