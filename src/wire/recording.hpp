#pragma once

#include <vector>

#include "wire/entry.hpp"
#include "wire/hello.hpp"
#include "wire/want.hpp"

namespace adoc {

// A transfer in a file (man/adoc.5, FILES) is what a sender sends to a receiver that answers like
// this, and nothing else.

/// Names what a file can hold, whoever reads it: nothing that needs an answer.
[[nodiscard]] Hello recording_hello() noexcept;

/// All that each entry holds.
[[nodiscard]] std::vector<WantItem> want_everything(const std::vector<Entry>& entries);

}  // namespace adoc
