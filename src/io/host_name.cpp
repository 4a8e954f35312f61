#include "io/host_name.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "adoc/error.hpp"
#include "util/safe_name.hpp"

namespace adoc {

namespace {

/// With ":65535" behind it it is as long as a file name can be; RFC 1035 allows four more.
constexpr std::size_t kMaxNameBytes = 249;

constexpr std::string_view kLettersAndDigits = "abcdefghijklmnopqrstuvwxyz0123456789";

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw Error(ErrorKind::usage, adoc::quoted(text.substr(0, 80)) + " is not a host: " + why);
}

bool has_only(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [&](char c) {
    return kLettersAndDigits.find(c) != kLettersAndDigits.npos || others.find(c) != others.npos;
  });
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string text_of(const in_addr& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return text.data();
}

std::string text_of(const in6_addr& address, const std::string& zone) {
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    in_addr v4{};
    std::memcpy(&v4, &address.s6_addr[12], sizeof(v4));
    return text_of(v4);
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET6, &address, text.data(), text.size());
  std::string shown = "[";
  shown += text.data();
  if (!zone.empty()) shown.append("%").append(zone);
  return shown += ']';
}

/// An interface's number changes from one start of the machine to the next, its name seldom.
std::string zone_name(const std::string& zone) {
  unsigned index = 0;
  const char* const end = zone.data() + zone.size();
  const auto [rest, error] = std::from_chars(zone.data(), end, index);
  std::array<char, IF_NAMESIZE> name{};
  const bool known =
      error == std::errc{} && rest == end && ::if_indextoname(index, name.data()) != nullptr;
  return known ? name.data() : zone;
}

std::string canonical_v6(std::string_view text, std::string_view inside) {
  const std::size_t percent = inside.find('%');
  const std::string address(inside.substr(0, percent));
  const std::string zone(percent == inside.npos ? "" : inside.substr(percent + 1));
  in6_addr v6{};
  if (::inet_pton(AF_INET6, address.c_str(), &v6) != 1)
    refuse(text, "it has a colon and is no IPv6 address");
  const std::string_view signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
  if (percent != inside.npos &&
      (zone.empty() || zone.size() >= IF_NAMESIZE || !has_only(zone, signs)))
    refuse(text, "no interface has the name after the %");
  return text_of(v6, zone_name(zone));
}

std::optional<std::string> canonical_address(const sockaddr* address) {
  if (address == nullptr) return std::nullopt;
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof(v4));
    return text_of(v4.sin_addr);
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, address, sizeof(v6));
  return text_of(v6.sin6_addr,
                 v6.sin6_scope_id == 0 ? "" : zone_name(std::to_string(v6.sin6_scope_id)));
}

bool is_address_of_an_interface(std::string_view host) {
  ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(found, &::freeifaddrs);
  for (const ifaddrs* item = found; item != nullptr; item = item->ifa_next)
    if (canonical_address(item->ifa_addr) == host) return true;
  return false;
}

bool is_own_name(std::string_view host) {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && in_lower_case(name.data()) == host;
}

}  // namespace

std::string canonical_host(std::string_view text) {
  std::string_view inside = text;
  const bool bracketed = inside.size() > 2 && inside.front() == '[' && inside.back() == ']';
  if (bracketed) inside = inside.substr(1, inside.size() - 2);
  if (inside.find(':') != inside.npos) return canonical_v6(text, inside);
  if (bracketed) refuse(text, "only an IPv6 address goes in brackets");

  std::string host = in_lower_case(inside);
  if (host.ends_with('.')) host.pop_back();
  if (host.empty()) refuse(text, "it is empty");
  if (host.size() > kMaxNameBytes) refuse(text, "it is too long");
  if (host.front() == '.' || host.front() == '-')
    refuse(text, "it begins with a letter or a digit");
  if (!has_only(host, "._-")) refuse(text, "it has letters, digits, dots and hyphens");
  // Also short and hexadecimal forms, as whoever connects takes them.
  in_addr v4{};
  return ::inet_aton(host.c_str(), &v4) != 0 ? text_of(v4) : host;
}

bool is_this_machine(std::string_view host) {
  const bool is_localhost = host == "localhost" || host.ends_with(".localhost") ||
                            host == "ip6-localhost" || host == "ip6-loopback";
  // One that stands for all addresses leads to loopback when it is connected to.
  if (is_localhost || host == "[::1]" || host == "[::]" || host == "0.0.0.0") return true;
  in_addr v4{};
  if (::inet_pton(AF_INET, std::string(host).c_str(), &v4) == 1 &&
      (ntohl(v4.s_addr) >> IN_CLASSA_NSHIFT) == IN_LOOPBACKNET)
    return true;
  return is_address_of_an_interface(host) || is_own_name(host);
}

}  // namespace adoc
