#pragma once

#include <string>

#include "adoc/error.hpp"
#include "adoc/observer.hpp"
#include "adoc/options.hpp"

namespace adoc::cli {

/// Why a transfer ended before its end, with what is there of it and how it goes on.
[[nodiscard]] Error with_what_is_there(const Error& why, const Statistics& statistics,
                                       const SendOptions& options);

/// What a transfer to a file or to standard output leaves when it is interrupted, whenever that is;
/// empty of any other.
[[nodiscard]] std::string what_is_written(const SendOptions& options);

}  // namespace adoc::cli
