#include "io/address.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <memory>

#include "adoc/error.hpp"

namespace adoc {

Endpoint Address::endpoint() const {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (::getnameinfo(get(), length, host.data(), host.size(), service.data(), service.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {"unknown", 0};
  return {host.data(), static_cast<std::uint16_t>(std::stoi(service.data()))};
}

bool Address::is_loopback() const noexcept {
  if (family() == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &storage, sizeof(v4));
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &storage, sizeof(v6));
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

std::vector<Address> resolve(const Endpoint& endpoint, Purpose purpose) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV | (purpose == Purpose::listen ? AI_PASSIVE : 0);
  const bool any = endpoint.host.empty() || endpoint.host == "*";
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(any ? nullptr : endpoint.host.c_str(),
                                   std::to_string(endpoint.port).c_str(), &wanted, &found);
  if (status != 0)
    throw Error(ErrorKind::connect,
                "cannot find the address of " + endpoint.host + ": " + ::gai_strerror(status));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* item = found; item != nullptr; item = item->ai_next) {
    Address& address = addresses.emplace_back();
    std::memcpy(&address.storage, item->ai_addr, item->ai_addrlen);
    address.length = item->ai_addrlen;
  }
  return addresses;
}

Endpoint local_endpoint(int socket) {
  Address address;
  address.length = sizeof(address.storage);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length);
  return address.endpoint();
}

}  // namespace adoc
