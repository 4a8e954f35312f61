#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace adoc::cli {

/// One SRC or DST of adoc-cp.
struct Place {
  std::string host{};                   ///< as ssh takes it, with the user; empty: this machine
  std::optional<std::uint16_t> port{};  ///< of sshd, where it is said here
  std::string path{};                   ///< empty: the home directory over there

  [[nodiscard]] bool is_far() const noexcept { return !host.empty(); }
  [[nodiscard]] bool is_same_machine(const Place& other) const noexcept {
    return host == other.host && port == other.port;
  }
};

/// From [user@]host:path, ssh://[user@]host[:port]/path, scp://... or a path of this machine, told
/// apart as scp does it: what has a colon before its first slash is over there. Throws Error(usage)
/// for a host or user that ssh would take for an option.
[[nodiscard]] Place parse_place(const std::string& text);

/// The inverse, for messages.
[[nodiscard]] std::string to_string(const Place& place);

}  // namespace adoc::cli
