#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <vector>

#include "adoc/options.hpp"

namespace adoc {

/// A socket address of either IP family.
struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
  [[nodiscard]] int family() const noexcept { return storage.ss_family; }
  [[nodiscard]] Endpoint endpoint() const;
};

enum class Purpose { connect, listen };

/// The addresses of a name, never none. An empty host or "*" listens on all, IPv6 first. Throws
/// Error(connect).
[[nodiscard]] std::vector<Address> resolve(const Endpoint& endpoint, Purpose purpose);

/// That of a host that is written in numbers; none of a name.
[[nodiscard]] std::vector<Address> numeric_addresses(const Endpoint& endpoint);
/// What one host has of addresses at will: itself alone with IPv4, also where that is written as
/// IPv6, and with IPv6 the whole network of 64 bits.
using Source = std::array<std::byte, 16>;
[[nodiscard]] Source source_of(const Address& address) noexcept;

[[nodiscard]] Endpoint local_endpoint(int socket);
[[nodiscard]] Endpoint peer_endpoint(int socket);

}  // namespace adoc
