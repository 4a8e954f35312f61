#pragma once

#include <string>
#include <string_view>

#include "adoc/error.hpp"

namespace adoc {

/// The system's words for an errno, without a capital: "no space left on device".
[[nodiscard]] std::string errno_text(int error_number);

/// The one way from errno to an exception: "cannot {action}: {errno's words}".
[[nodiscard]] Error errno_error(ErrorKind kind, std::string_view action, int error_number);

}  // namespace adoc
