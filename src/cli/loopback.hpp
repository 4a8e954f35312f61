#pragma once

#include <string>

namespace adoc::cli {

/// Whether what is sent to `host` stays on this machine, as far as the text tells: the addresses
/// 127.0.0.0/8 and ::1, and the name localhost. Resolves no names.
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace adoc::cli
