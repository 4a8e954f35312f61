#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adoc/key.hpp"
#include "adoc/options.hpp"

namespace adoc {

/// What a sender calls a receiver whose key it keeps: a machine, or one port of it.
struct PeerName {
  std::string host;                     ///< in one form for all spellings; can be a file's name
  std::optional<std::uint16_t> port{};  ///< none: all ports

  bool operator==(const PeerName&) const = default;
};

/// From HOST[:PORT]; an IPv6 address without a port needs no brackets. Throws Error(usage).
[[nodiscard]] PeerName parse_peer(const std::string& text);
/// The inverse, as an operand for a sender.
[[nodiscard]] std::string to_string(const PeerName& peer);

/// $XDG_CONFIG_HOME/adoc/peers/HOST or HOST:PORT, else below ~/.config. Throws Error(local_file)
/// without a home.
[[nodiscard]] std::string peer_key_file(const PeerName& peer);

/// Whether this is another name of the machine that we are on, as far as that can be told without
/// asking the network.
[[nodiscard]] bool is_this_machine(const PeerName& peer);

/// Whether this is the key of this machine's own receiver, as far as it can be read.
[[nodiscard]] bool is_own_key(const Key& key);

/// The key of a receiver, as a sender finds it.
struct PeerKey {
  Key key;
  std::string file;
  bool is_own = false;     ///< of this machine's own receiver, which `file` is that of
  bool is_shared = false;  ///< another machine's, and this machine's own receiver has the same one
};

/// The key to send to `peer` with: the one that is kept for its host and port, else for its host,
/// else, if that is this machine, its own. None if there is none. The own key is never for another
/// machine: who is on the path could lead the transfer back to this one (RFC 9257, section 5).
/// Throws Error(usage) for what is no host, Error(local_file) as read_key_file() does.
[[nodiscard]] std::optional<PeerKey> find_peer_key(const Endpoint& peer);

}  // namespace adoc
