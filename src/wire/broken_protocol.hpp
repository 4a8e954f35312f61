#pragma once

#include <string>

namespace adoc {

/// The peer does what the protocol does not allow: throws Error(corrupt). For what a peer may have
/// made up; a mistake of this side is an assertion.
[[noreturn]] void broken_protocol(const std::string& why);

}  // namespace adoc
