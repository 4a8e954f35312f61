#pragma once

#include <string>
#include <string_view>

namespace adoc {

/// What its messages begin with.
inline constexpr std::string_view kBrokenProtocol = "the peer broke the protocol: ";

/// The peer does what the protocol does not allow: throws Error(corrupt). For what a peer may have
/// made up; a mistake of this side is an assertion.
[[noreturn]] void broken_protocol(const std::string& why);

}  // namespace adoc
