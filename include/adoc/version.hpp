#pragma once

#include <string_view>

namespace adoc {

/// The version of the library and of the programs, as in CMakeLists.txt.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace adoc
