#include "io/address.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include "adoc/error.hpp"

namespace adoc {

namespace {

/// The IPv4 address of a peer that came to a socket of both families, as people know it.
std::optional<Address> mapped_v4(const Address& address) {
  if (address.family() != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address.storage, sizeof(v6));
  if (!IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return std::nullopt;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = v6.sin6_port;
  std::memcpy(&v4.sin_addr, &v6.sin6_addr.s6_addr[12], sizeof(v4.sin_addr));
  Address mapped;
  std::memcpy(&mapped.storage, &v4, sizeof(v4));
  mapped.length = sizeof(v4);
  return mapped;
}

}  // namespace

Endpoint Address::endpoint() const {
  if (const auto v4 = mapped_v4(*this)) return v4->endpoint();
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (::getnameinfo(get(), length, host.data(), host.size(), service.data(), service.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {"unknown", 0};
  return {host.data(), static_cast<std::uint16_t>(std::stoi(service.data()))};
}

namespace {
Endpoint endpoint_of(int socket, int (*name)(int, sockaddr*, socklen_t*)) {
  Address address;
  address.length = sizeof(address.storage);
  if (name(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0)
    return {"unknown", 0};
  return address.endpoint();
}

/// Appends what getaddrinfo() finds, whose error is returned.
int find(const Endpoint& endpoint, int flags, std::vector<Address>& addresses) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV | flags;
  const bool any = endpoint.host.empty() || endpoint.host == "*";
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(any ? nullptr : endpoint.host.c_str(),
                                   std::to_string(endpoint.port).c_str(), &wanted, &found);
  if (status != 0) return status;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  for (const addrinfo* item = found; item != nullptr; item = item->ai_next) {
    Address& address = addresses.emplace_back();
    std::memcpy(&address.storage, item->ai_addr, item->ai_addrlen);
    address.length = item->ai_addrlen;
  }
  return 0;
}
}  // namespace

std::vector<Address> resolve(const Endpoint& endpoint, Purpose purpose) {
  const bool any = endpoint.host.empty() || endpoint.host == "*";
  std::vector<Address> addresses;
  const int status = find(endpoint, purpose == Purpose::listen ? AI_PASSIVE : 0, addresses);
  if (status != 0)
    throw Error(ErrorKind::connect,
                "cannot find the address of " + endpoint.host + ": " + ::gai_strerror(status));
  // The socket that takes both families, where there is one, before the one that takes half.
  if (any)
    std::stable_sort(addresses.begin(), addresses.end(), [](const Address& a, const Address& b) {
      return a.family() == AF_INET6 && b.family() != AF_INET6;
    });
  return addresses;
}

std::vector<Address> numeric_addresses(const Endpoint& endpoint) {
  std::vector<Address> addresses;
  static_cast<void>(find(endpoint, AI_NUMERICHOST, addresses));
  return addresses;
}

Endpoint local_endpoint(int socket) { return endpoint_of(socket, &::getsockname); }

Source source_of(const Address& address) noexcept {
  constexpr std::size_t kNetworkBytes = 8;
  Source source{};
  if (address.family() == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address.storage);
    source[10] = source[11] = std::byte{0xff};
    std::memcpy(source.data() + 12, &v4.sin_addr, sizeof(v4.sin_addr));
  } else if (address.family() == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address.storage);
    const bool is_v4 = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
    std::memcpy(source.data(), &v6.sin6_addr, is_v4 ? source.size() : kNetworkBytes);
  }
  return source;
}

Endpoint peer_endpoint(int socket) { return endpoint_of(socket, &::getpeername); }

}  // namespace adoc
