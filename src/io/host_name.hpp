#pragma once

#include <string>
#include <string_view>

namespace adoc {

/// One form for all spellings of a host, which is safe as the name of a file: letters in lower
/// case, no dot at the end; an IPv4 address as four numbers; an IPv6 address in brackets and as
/// short as it can be, one that stands for an IPv4 address as that, and with its zone, if it has
/// one, by the interface's name. `text` may have the brackets or not. Throws Error(usage) for what
/// is no host.
[[nodiscard]] std::string canonical_host(std::string_view text);

/// Whether a canonical host is the machine that we are on: a loopback address, a name for one, an
/// address of one of its interfaces, or its own name. Asks nobody on the network.
[[nodiscard]] bool is_this_machine(std::string_view host);

}  // namespace adoc
