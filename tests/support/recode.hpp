#pragma once

#include <string_view>

#include "util/bytes.hpp"

namespace adoc::testkit {

/// Decodes a recorded stream, down to the manifests and the raw bytes of the blocks, and encodes
/// what was read again. What `name` begins with says what the bytes are:
///
///   hello-sender, hello-receiver   the hello of that side
///   to-receiver, to-sender         a whole direction: hello, frames, end
///   anything else                  some frames
///
/// Throws Error(connect) for a hello that does not fit, Error(corrupt) for everything else.
[[nodiscard]] Bytes recode(std::string_view name, ByteSpan bytes);

}  // namespace adoc::testkit
