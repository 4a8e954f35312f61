#pragma once

#include <string>

#include "adoc/observer.hpp"

namespace adoc::cli {

/// The statistics as one JSON object on one line, without the newline. Bytes of messages that are
/// not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const Statistics& statistics);

}  // namespace adoc::cli
