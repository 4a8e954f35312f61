#include "adoc/version.hpp"

namespace adoc {

std::string_view version() noexcept { return ADOC_VERSION; }

}  // namespace adoc
