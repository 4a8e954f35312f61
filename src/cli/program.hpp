#pragma once

#include <functional>
#include <string>

#include "cli/status_line.hpp"

namespace adoc::cli {

/// Runs a program and gives its exit code. What it throws is caught here, once, and told in one
/// line on standard error.
[[nodiscard]] int run_program(const std::string& name,
                              const std::function<int(StatusLine&)>& body) noexcept;

}  // namespace adoc::cli
